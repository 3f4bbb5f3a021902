// Per-CPU variables: a slot a CPU, changed by what runs there, which is a task or an interrupt.
//
// include/linux/percpu-defs.h. A slot belongs to the thread that plays its CPU's task; an interrupt
// on that CPU is one more thread, with the same slot. Being on one CPU is told by the number given.
//
// this_cpu_add and its kin are one instruction, which an interrupt cannot divide: one relaxed
// read-modify-write. The kernel's __this_cpu_add, here this_cpu_add_unprotected, relies on its
// caller to keep interrupts away: a load and a store. Neither orders anything. Other CPUs only read
// (per_cpu_read), by relaxed loads: the kernel's plain ones would be data races.
//
// Where C++20 differs: a read-modify-write is atomic for everybody, this_cpu_add only on its CPU.
// So a this_cpu_add from another CPU loses nothing here, and could in the kernel.
#pragma once

#include <array>
#include <cstddef>
#include <heddle/name.hpp>
#include <string_view>
#include <type_traits>

#include "models/kernel/atomic.hpp"

namespace models::kernel {

template <class T, std::size_t Cpus>
class per_cpu {
 public:
  explicit per_cpu(std::string_view what = "slot") { heddle::name(slots_, what); }

  static constexpr std::size_t cpus() { return Cpus; }

  // Throws std::out_of_range.
  heddle::atomic<T>& slot(std::size_t cpu) { return slots_.at(cpu); }
  const heddle::atomic<T>& slot(std::size_t cpu) const { return slots_.at(cpu); }

 private:
  std::array<heddle::atomic<T>, Cpus> slots_{};
};

template <class T, std::size_t N>
T this_cpu_read(const per_cpu<T, N>& variable, std::size_t cpu, place where = place::current()) {
  return read_once(variable.slot(cpu), where);
}
template <class T, std::size_t N>
void this_cpu_write(per_cpu<T, N>& variable, std::size_t cpu, std::type_identity_t<T> value,
                    place where = place::current()) {
  write_once(variable.slot(cpu), value, where);
}
template <class T, std::size_t N>
void this_cpu_add(per_cpu<T, N>& variable, std::size_t cpu, std::type_identity_t<T> value,
                  place where = place::current()) {
  atomic_add(value, variable.slot(cpu), where);
}
template <class T, std::size_t N>
void this_cpu_sub(per_cpu<T, N>& variable, std::size_t cpu, std::type_identity_t<T> value,
                  place where = place::current()) {
  atomic_sub(value, variable.slot(cpu), where);
}
template <class T, std::size_t N>
void this_cpu_inc(per_cpu<T, N>& variable, std::size_t cpu, place where = place::current()) {
  atomic_inc(variable.slot(cpu), where);
}
template <class T, std::size_t N>
void this_cpu_dec(per_cpu<T, N>& variable, std::size_t cpu, place where = place::current()) {
  atomic_dec(variable.slot(cpu), where);
}
// The value after.
template <class T, std::size_t N>
T this_cpu_add_return(per_cpu<T, N>& variable, std::size_t cpu, std::type_identity_t<T> value,
                      place where = place::current()) {
  return atomic_add_return_relaxed(value, variable.slot(cpu), where);
}
// The value before.
template <class T, std::size_t N>
T this_cpu_xchg(per_cpu<T, N>& variable, std::size_t cpu, std::type_identity_t<T> value,
                place where = place::current()) {
  return xchg_relaxed(variable.slot(cpu), value, where);
}
// The value before: `old` if it has succeeded.
template <class T, std::size_t N>
T this_cpu_cmpxchg(per_cpu<T, N>& variable, std::size_t cpu, std::type_identity_t<T> old,
                   std::type_identity_t<T> value, place where = place::current()) {
  return cmpxchg_relaxed(variable.slot(cpu), old, value, where);
}

// __this_cpu_add: with interrupts off, or on data that none of them touches.
template <class T, std::size_t N>
void this_cpu_add_unprotected(per_cpu<T, N>& variable, std::size_t cpu,
                              std::type_identity_t<T> value, place where = place::current()) {
  write_once(variable.slot(cpu), read_once(variable.slot(cpu), where) + value, where);
}
// __this_cpu_sub.
template <class T, std::size_t N>
void this_cpu_sub_unprotected(per_cpu<T, N>& variable, std::size_t cpu,
                              std::type_identity_t<T> value, place where = place::current()) {
  write_once(variable.slot(cpu), read_once(variable.slot(cpu), where) - value, where);
}

// *per_cpu_ptr(variable, cpu), by any CPU.
template <class T, std::size_t N>
T per_cpu_read(const per_cpu<T, N>& variable, std::size_t cpu, place where = place::current()) {
  return read_once(variable.slot(cpu), where);
}

}  // namespace models::kernel
