// Relations over at most 64 events as bit matrices, with the operators of the relational calculus
// in which axiomatic memory models are written (herd's cat language), so that the axioms can be
// typed in as they stand in the papers. Row i holds the events that i is related to.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace heddle::oracle {

inline constexpr int max_events = 64;

using event_set = std::uint64_t;

[[nodiscard]] constexpr event_set only(int event) { return event_set{1} << event; }
[[nodiscard]] constexpr bool contains(event_set set, int event) { return (set >> event & 1) != 0; }

// Calls `body` for each member in ascending order.
template <class Body>
void for_each(event_set set, Body body) {
  for (; set != 0; set &= set - 1) body(std::countr_zero(set));
}

class relation {
 public:
  explicit relation(int size) : size_(size) {
    for (int i = 0; i < size_; ++i) row(i) = 0;
  }

  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] event_set& row(int from) { return rows_[static_cast<std::size_t>(from)]; }
  [[nodiscard]] event_set row(int from) const { return rows_[static_cast<std::size_t>(from)]; }
  [[nodiscard]] bool has(int from, int to) const { return contains(row(from), to); }
  void add(int from, int to) { row(from) |= only(to); }

  relation& operator|=(const relation& other) {
    for (int i = 0; i < size_; ++i) row(i) |= other.row(i);
    return *this;
  }
  relation& operator&=(const relation& other) {
    for (int i = 0; i < size_; ++i) row(i) &= other.row(i);
    return *this;
  }
  relation& operator-=(const relation& other) {
    for (int i = 0; i < size_; ++i) row(i) &= ~other.row(i);
    return *this;
  }

 private:
  int size_;
  std::array<event_set, max_events> rows_;  // those below size_
};

[[nodiscard]] inline relation operator|(relation left, const relation& right) {
  return left |= right;
}
[[nodiscard]] inline relation operator&(relation left, const relation& right) {
  return left &= right;
}
[[nodiscard]] inline relation operator-(relation left, const relation& right) {
  return left -= right;
}

// left ; right
[[nodiscard]] inline relation operator*(const relation& left, const relation& right) {
  relation result(left.size());
  for (int i = 0; i < left.size(); ++i) {
    event_set reached = 0;
    for_each(left.row(i), [&](int k) { reached |= right.row(k); });
    result.row(i) = reached;
  }
  return result;
}

// [set] ; of
[[nodiscard]] inline relation from(event_set set, relation of) {
  for (int i = 0; i < of.size(); ++i) {
    if (!contains(set, i)) of.row(i) = 0;
  }
  return of;
}

// of ; [set]
[[nodiscard]] inline relation to(relation of, event_set set) {
  for (int i = 0; i < of.size(); ++i) of.row(i) &= set;
  return of;
}

// [set]
[[nodiscard]] inline relation identity(event_set set, int size) {
  relation result(size);
  for_each(set, [&](int i) { result.add(i, i); });
  return result;
}

// of?
[[nodiscard]] inline relation maybe(relation of) {
  for (int i = 0; i < of.size(); ++i) of.add(i, i);
  return of;
}

// of+
[[nodiscard]] inline relation closure(relation of) {
  for (int k = 0; k < of.size(); ++k) {
    const event_set behind = of.row(k);
    if (behind == 0) continue;
    for (int i = 0; i < of.size(); ++i) {
      if (of.has(i, k)) of.row(i) |= behind;
    }
  }
  return of;
}

[[nodiscard]] inline relation inverse(const relation& of) {
  relation result(of.size());
  for (int i = 0; i < of.size(); ++i) {
    for_each(of.row(i), [&](int k) { result.add(k, i); });
  }
  return result;
}

[[nodiscard]] inline bool irreflexive(const relation& of) {
  for (int i = 0; i < of.size(); ++i) {
    if (of.has(i, i)) return false;
  }
  return true;
}

[[nodiscard]] inline bool empty(const relation& of) {
  for (int i = 0; i < of.size(); ++i) {
    if (of.row(i) != 0) return false;
  }
  return true;
}

[[nodiscard]] inline bool acyclic(const relation& of) { return irreflexive(closure(of)); }

}  // namespace heddle::oracle
