// llist: a singly linked list without a lock, to which anybody adds and from which one takes all.
//
// include/linux/llist.h. What is to be listed derives from llist_node.
//
// Orders: adding releases and taking all acquires, so the taker sees what the adders did before.
// Weaker than the kernel's, whose cmpxchg and xchg are full barriers: who relies on that adds
// smp_mb.
#pragma once

#include <heddle/name.hpp>
#include <heddle/var.hpp>

#include "models/kernel/barrier.hpp"
#include "models/kernel/cmpxchg.hpp"

namespace models::kernel {

struct llist_node {
  heddle::var<llist_node*> next{nullptr};
};

struct llist_head {
  llist_head() { heddle::name(first, "first"); }

  heddle::atomic<llist_node*> first{nullptr};
};

inline bool llist_empty(const llist_head& head, place where = place::current()) {
  return read_once(head.first, where) == nullptr;
}

// True: the list was empty.
inline bool llist_add(llist_node& node, llist_head& head, place where = place::current()) {
  llist_node* first = read_once(head.first, where);
  do {
    node.next = first;
  } while (!try_cmpxchg_release(head.first, first, &node, where));
  return first == nullptr;
}

// The entries, the last that was added first; null: there were none.
inline llist_node* llist_del_all(llist_head& head, place where = place::current()) {
  return xchg_acquire(head.first, nullptr, where);
}

// llist_for_each_entry_safe, over what llist_del_all returned: visit(entry) may do with it as it
// likes.
template <class Entry, class Visit>
void llist_for_each_entry_safe(llist_node* first, Visit visit) {
  while (first != nullptr) {
    llist_node* const after = first->next;
    visit(static_cast<Entry&>(*first));
    first = after;
  }
}

}  // namespace models::kernel
