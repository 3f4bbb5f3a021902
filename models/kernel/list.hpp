// list_head: the kernel's doubly linked list, and the careful operations that look at an entry
// without the lock.
//
// include/linux/list.h. What is to be listed derives from list_head, in place of container_of.
//
// Changing a list needs its lock: a change not ordered with another of the same entry, or with a
// walk over it, is a data race, as it is for KCSAN (a var that each change writes and each walk
// reads). Without the lock one may ask list_empty, which promises nothing about what comes after
// it, and list_empty_careful.
//
// list_empty_careful is true if the entry is off the list and nobody is in the middle of changing
// it. For the caller to rely on that (to reuse the entry, to return with it on his stack) nobody
// may start either: the sole change that others make must be list_del_init_careful. It resets prev,
// and then next with a release that list_empty_careful acquires, so it is over when it is seen, and
// with it all that its thread did before. list_del_init has no such order, and list_add may follow.
//
// Orders: next and prev are relaxed, since the lock orders them; the careful pair as above.
#pragma once

#include <heddle/name.hpp>
#include <heddle/var.hpp>

#include "models/kernel/barrier.hpp"

namespace models::kernel {

// A head, or an entry. An empty head points to itself, and so does an entry that is initialised.
struct list_head {
  list_head() {
    heddle::name(next, "next");
    heddle::name(prev, "prev");
  }
  list_head(const list_head&) = delete;
  list_head& operator=(const list_head&) = delete;
  ~list_head() = default;

  heddle::atomic<list_head*> next{this};
  heddle::atomic<list_head*> prev{this};
  heddle::var<bool> changed{false};
};

namespace list {

// A link of the entry that belongs to the lock's holder.
inline list_head* next_of(const list_head& entry, place where) {
  static_cast<void>(entry.changed.get());
  return read_once(entry.next, where);
}
inline list_head* prev_of(const list_head& entry, place where) {
  static_cast<void>(entry.changed.get());
  return read_once(entry.prev, where);
}
inline void set_next(list_head& entry, list_head* next, place where) {
  entry.changed = true;
  write_once(entry.next, next, where);
}
inline void set_prev(list_head& entry, list_head* prev, place where) {
  entry.changed = true;
  write_once(entry.prev, prev, where);
}

// __list_add: next is reset last, so that a walk without the lock finds the entry complete.
inline void insert(list_head& entry, list_head& before, list_head& after, place where) {
  set_prev(after, &entry, where);
  set_next(entry, &after, where);
  set_prev(entry, &before, where);
  set_next(before, &entry, where);
}

// __list_del_entry: the entry's own links remain.
inline void unlink(list_head& entry, place where) {
  list_head* const after = next_of(entry, where);
  list_head* const before = prev_of(entry, where);
  set_prev(*after, before, where);
  set_next(*before, after, where);
}

}  // namespace list

// INIT_LIST_HEAD.
inline void init_list_head(list_head& entry, place where = place::current()) {
  list::set_next(entry, &entry, where);
  list::set_prev(entry, &entry, where);
}

// After the head: as on a stack.
inline void list_add(list_head& entry, list_head& head, place where = place::current()) {
  list::insert(entry, head, *list::next_of(head, where), where);
}
// Before the head: as in a queue.
inline void list_add_tail(list_head& entry, list_head& head, place where = place::current()) {
  list::insert(entry, *list::prev_of(head, where), head, where);
}

// The entry is not to be asked whether it is empty; its links are null, as the kernel's are poison.
inline void list_del(list_head& entry, place where = place::current()) {
  list::unlink(entry, where);
  list::set_next(entry, nullptr, where);
  list::set_prev(entry, nullptr, where);
}

inline void list_del_init(list_head& entry, place where = place::current()) {
  list::unlink(entry, where);
  init_list_head(entry, where);
}

// All changes of the entry by this thread, and all that it did before, are before a
// list_empty_careful that is true because of it.
inline void list_del_init_careful(list_head& entry, place where = place::current()) {
  list::unlink(entry, where);
  list::set_prev(entry, &entry, where);
  smp_store_release(entry.next, &entry, where);
}

// Of a head: has no entries. Of an entry: is on no list.
inline bool list_empty(const list_head& head, place where = place::current()) {
  return read_once(head.next, where) == &head;
}

inline bool list_empty_careful(const list_head& head, place where = place::current()) {
  const list_head* const next = smp_load_acquire(head.next, where);
  return next == &head && read_once(head.prev, where) == next;
}

// Null: the list is empty.
template <class Entry>
Entry* list_first_entry_or_null(list_head& head, place where = place::current()) {
  list_head* const first = list::next_of(head, where);
  return first == &head ? nullptr : static_cast<Entry*>(first);
}

// list_for_each_entry_safe: calls visit(entry) for each from the head on. It may take the entry
// off, but no other.
template <class Entry, class Visit>
void list_for_each_entry_safe(list_head& head, Visit visit, place where = place::current()) {
  list_head* entry = list::next_of(head, where);
  while (entry != &head) {
    list_head* const after = list::next_of(*entry, where);
    visit(static_cast<Entry&>(*entry));
    entry = after;
  }
}

// list_for_each_entry: visit must leave the list as it is.
template <class Entry, class Visit>
void list_for_each_entry(list_head& head, Visit visit, place where = place::current()) {
  for (list_head* entry = list::next_of(head, where); entry != &head;
       entry = list::next_of(*entry, where)) {
    visit(static_cast<Entry&>(*entry));
  }
}

}  // namespace models::kernel
