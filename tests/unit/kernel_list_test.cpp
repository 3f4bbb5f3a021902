// list_head and llist of models/kernel: the order of entries, and looking without the lock.
#include <vector>

#include "kernel_litmus.hpp"
#include "models/kernel/list.hpp"
#include "models/kernel/llist.hpp"

namespace {

using namespace models::kernel;
using heddle::check;
using heddle::require;
using heddle::verdict_kind;

struct entry : list_head {
  explicit entry(int n) : number{n} {}
  const int number;
};

std::vector<int> numbers(list_head& head) {
  std::vector<int> all;
  list_for_each_entry<entry>(head, [&](const entry& each) { all.push_back(each.number); });
  return all;
}

TEST(KernelList, KeepsTheOrderOfAStackOrAQueue) {
  list_head head;
  EXPECT_TRUE(list_empty(head));
  EXPECT_EQ(list_first_entry_or_null<entry>(head), nullptr);
  entry one{1};
  entry two{2};
  entry three{3};
  list_add_tail(one, head);
  list_add_tail(two, head);
  list_add(three, head);
  EXPECT_EQ(numbers(head), (std::vector<int>{3, 1, 2}));
  EXPECT_EQ(list_first_entry_or_null<entry>(head), &three);
  EXPECT_FALSE(list_empty(head) || list_empty_careful(head) || list_empty_careful(one));
  list_del_init(one);
  EXPECT_TRUE(list_empty_careful(one));
  EXPECT_EQ(numbers(head), (std::vector<int>{3, 2}));
  list_del(three);
  EXPECT_FALSE(list_empty(three));
  list_add_tail(one, head);
  list_for_each_entry_safe<entry>(head, [](entry& each) { list_del_init_careful(each); });
  EXPECT_TRUE(list_empty_careful(head) && list_empty_careful(one) && list_empty_careful(two));
}

// finish_wait: a waker takes the waiter's entry off and has written what the waiter then reads. The
// waiter takes the lock only if it finds itself on the list, and uses its entry again.
template <class Take, class IsOff>
heddle::result wait_with_an_entry(Take take, IsOff is_off,
                                  heddle::model memory_model = heddle::model::rc11) {
  return check({.memory_model = memory_model}, [=] {
    spinlock_t lock;
    list_head head;
    entry mine{1};
    heddle::var<int> reason{0};
    list_add(mine, head);
    heddle::thread waker([&] {
      spin_lock(lock);
      reason = 7;
      take(mine);
      spin_unlock(lock);
    });
    if (is_off(mine)) {
      require(reason == 7, "off the list for no reason");
      list_add(mine, head);  // nobody else is at the list any more
    }
    waker.join();
  });
}

const auto careful_take = [](list_head& off) { list_del_init_careful(off); };
const auto careless_take = [](list_head& off) { list_del_init(off); };
const auto careful_look = [](const list_head& off) { return list_empty_careful(off); };
const auto careless_look = [](const list_head& off) { return list_empty(off); };

TEST(KernelListCareful, AnEntryThatIsSeenToBeOffMayBeUsedAgain) {
  for (const auto memory_model : {heddle::model::rc11, heddle::model::tso, heddle::model::sc}) {
    EXPECT_VERIFIED(wait_with_an_entry(careful_take, careful_look, memory_model));
  }
}

TEST(KernelListCareful, NeedsTheOneWhoTakesItOffToBeCareful) {
  EXPECT_VIOLATION(wait_with_an_entry(careless_take, careful_look), verdict_kind::data_race);
}

TEST(KernelListCareful, NeedsTheOneWhoLooksToBeCareful) {
  EXPECT_VIOLATION(wait_with_an_entry(careful_take, careless_look), verdict_kind::data_race);
}

// Both as it was before list_del_init_careful, where next is reset before prev.
TEST(KernelListCareful, CarelessOnesAreWrongEvenUnderSc) {
  EXPECT_VIOLATION(wait_with_an_entry(careless_take, careless_look, heddle::model::sc),
                   verdict_kind::data_race);
}

// That the entry is off says nothing if another may put it on.
TEST(KernelListCareful, AllowsNoOtherChangeThanTakingOff) {
  EXPECT_VIOLATION(check([] {
                     spinlock_t lock;
                     list_head head;
                     list_head other_head;
                     entry mine{1};
                     heddle::thread adder([&] {
                       spin_lock(lock);
                       list_add_tail(mine, head);
                       spin_unlock(lock);
                     });
                     if (list_empty_careful(mine)) list_add_tail(mine, other_head);
                     adder.join();
                   }),
                   verdict_kind::data_race);
}

TEST(KernelList, ChangedWithoutTheLockIsADataRace) {
  const auto two_adders = [](bool locks) {
    return check([=] {
      spinlock_t lock;
      list_head head;
      entry one{1};
      entry two{2};
      const auto add = [&](entry& mine) {
        if (locks) spin_lock(lock);
        list_add_tail(mine, head);
        if (locks) spin_unlock(lock);
      };
      heddle::thread other([&] { add(one); });
      add(two);
      other.join();
      require(numbers(head).size() == 2, "an entry was lost");
    });
  };
  EXPECT_VERIFIED(two_adders(true));
  EXPECT_VIOLATION(two_adders(false), verdict_kind::data_race);
}

// --- llist

struct letter : llist_node {
  explicit letter(int n) : text{n} {}
  heddle::var<int> text;
};

TEST(KernelLlist, TellsTheFirstAdderAndGivesAllTheLastFirst) {
  llist_head box;
  letter one{1};
  letter two{2};
  EXPECT_TRUE(llist_empty(box));
  EXPECT_TRUE(llist_add(one, box));
  EXPECT_FALSE(llist_add(two, box));
  std::vector<int> all;
  llist_for_each_entry_safe<letter>(llist_del_all(box),
                                    [&](letter& each) { all.push_back(each.text); });
  EXPECT_EQ(all, (std::vector<int>{2, 1}));
  EXPECT_TRUE(llist_empty(box));
  EXPECT_EQ(llist_del_all(box), nullptr);
}

TEST(KernelLlist, GivesEveryLetterToOneTakerWithItsText) {
  EXPECT_VERIFIED(check([] {
    llist_head box;
    int taken = 0;
    letter one{0};
    letter two{0};
    const auto write = [&](letter& mine, int text) {
      mine.text = text;
      llist_add(mine, box);
    };
    const auto read_all = [&] {
      llist_for_each_entry_safe<letter>(llist_del_all(box), [&](letter& each) {
        taken += each.text;
        each.text = 0;
      });
    };
    heddle::thread first([&] { write(one, 1); });
    heddle::thread second([&] { write(two, 2); });
    read_all();
    first.join();
    second.join();
    read_all();
    require(taken == 3, "a letter was lost or came twice");
  }));
}

TEST(KernelLlist, HasOneFirstAdder) {
  EXPECT_VERIFIED(check([] {
    llist_head box;
    letter one{1};
    letter two{2};
    bool was_first = false;
    heddle::thread other([&] { was_first = llist_add(one, box); });
    const bool am_first = llist_add(two, box);
    other.join();
    require(was_first != am_first, "none or two woke the taker");
  }));
}

// The kernel's cmpxchg and xchg are full barriers; here they release and acquire.
TEST(KernelLlist, IsNoFullBarrierUnlikeTheKernel) {
  using kernel_litmus::cells;
  kernel_litmus::expect_allowed_by_rc11(
      [](const cells& at) { return at.r0 == 0 && at.r1 == 0; },
      [](cells& at) {
        llist_head box;
        letter one{1};
        write_once(at.x, 1), llist_add(one, box), at.r0 = read_once(at.y);
      },
      [](cells& at) {
        llist_head box;
        write_once(at.y, 1), llist_del_all(box), at.r1 = read_once(at.x);
      });
}

}  // namespace
