#include "checker/runtime/fiber.hpp"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bitset>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <mutex>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define HEDDLE_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEDDLE_ASAN
#endif
#endif
#ifdef HEDDLE_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#define HEDDLE_VALGRIND 1
#endif

namespace heddle::runtime {

namespace {

#ifdef HEDDLE_ASAN
void asan_forget(void* bottom, std::size_t size) { __asan_unpoison_memory_region(bottom, size); }
#else
void asan_forget(void*, std::size_t) {}
#endif

#ifdef HEDDLE_VALGRIND
unsigned valgrind_register(void* bottom, void* top) { return VALGRIND_STACK_REGISTER(bottom, top); }
void valgrind_deregister(unsigned id) { VALGRIND_STACK_DEREGISTER(id); }
#else
unsigned valgrind_register(void*, void*) { return 0; }
void valgrind_deregister(unsigned) {}
#endif

// The fixed places: one range that is reserved at the first use and never given back. A place is
// much larger than a usual stack; the rest of it is guard, so a large frame does not jump over it.
constexpr std::uintptr_t places_address = 0x2100'0000'0000;
constexpr std::size_t place_size = std::size_t{16} << 20;
constexpr std::size_t place_count = 256;
constexpr std::size_t smallest_guard = std::size_t{64} << 10;

constinit std::mutex places_mutex;
std::bitset<place_count> places_taken;

std::byte* reserve(void* wanted, std::size_t size, int flags) {
  void* got =
      mmap(wanted, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  if (got == MAP_FAILED) return nullptr;
  if (wanted != nullptr && got != wanted) {  // a kernel before 4.17 takes the address as a hint
    munmap(got, size);
    return nullptr;
  }
  return static_cast<std::byte*>(got);
}

std::byte* places() {
  static std::byte* const start = reserve(reinterpret_cast<void*>(places_address),
                                          place_size * place_count, MAP_FIXED_NOREPLACE);
  return start;
}

// -1 when none is free or the range is taken by others.
int take_place() {
  const std::lock_guard lock(places_mutex);
  if (places() == nullptr) return -1;
  for (std::size_t i = 0; i < place_count; ++i) {
    if (!places_taken[i]) {
      places_taken[i] = true;
      return static_cast<int>(i);
    }
  }
  return -1;
}

void free_place(int place) {
  const std::lock_guard lock(places_mutex);
  places_taken[static_cast<std::size_t>(place)] = false;
}

}  // namespace

fiber_stack::fiber_stack(std::size_t size) {
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  size_ = (size + page - 1) / page * page;
  if (size_ <= place_size - smallest_guard - page) slot_ = take_place();
  if (slot_ >= 0) {
    mapping_ = places() + static_cast<std::size_t>(slot_) * place_size;
    mapping_size_ = place_size;
  } else {
    mapping_size_ = size_ + smallest_guard + page;
    mapping_ = reserve(nullptr, mapping_size_, 0);
    if (mapping_ == nullptr) throw std::bad_alloc{};
  }
  bottom_ = mapping_ + (mapping_size_ - page - size_);
  if (mprotect(bottom_, size_, PROT_READ | PROT_WRITE) != 0) {
    if (slot_ >= 0) {
      free_place(slot_);
    } else {
      munmap(mapping_, mapping_size_);
    }
    throw std::bad_alloc{};
  }
  valgrind_id_ = valgrind_register(bottom_, top());
}

fiber_stack::~fiber_stack() {
  valgrind_deregister(valgrind_id_);
  asan_forget(bottom_, size_);
  if (slot_ < 0) {
    munmap(mapping_, mapping_size_);
    return;
  }
  madvise(bottom_, size_, MADV_DONTNEED);
  mprotect(bottom_, size_, PROT_NONE);
  free_place(slot_);
}

bool fiber_stack::guards(const void* address) const {
  return std::less_equal<>{}(static_cast<const void*>(mapping_), address) &&
         std::less<>{}(address, static_cast<const void*>(bottom_));
}

bool fiber_stack::contains(const void* address) const {
  return std::less_equal<>{}(static_cast<const void*>(bottom_), address) &&
         std::less<>{}(address, static_cast<const void*>(top()));
}

void fiber::start(void (*entry)(void*), void* argument) {
  assert(running_ != this);
  entry_ = entry;
  argument_ = argument;
  thread_exceptions_ = abi::__cxa_get_globals();
  thread_errno_ = &errno;
  parked_exceptions_ = {};
  parked_errno_ = 0;
  fake_stack_ = nullptr;
  // An abandoned life leaves its red zones behind.
  asan_forget(stack_.bottom(), stack_.size());
  context_ = detail::make_context(stack_.top(), stack_.size());
  finished_ = false;
}

void detail::enter_fiber(void* from, void* data) noexcept {
  fiber* const self = static_cast<fiber*>(data);
  self->context_ = from;
  if constexpr (under_asan) {
    fiber::asan_arrive(nullptr, &self->resumer_bottom_, &self->resumer_size_);
  }
  self->entry_(self->argument_);
  self->abandon_to_scheduler();
}

void fiber::abandon_to_scheduler() {
  assert(running_ == this);
  finished_ = true;
  if constexpr (detail::under_asan) asan_leave(nullptr, resumer_bottom_, resumer_size_);
  detail::jump_context(context_, nullptr);
  __builtin_unreachable();  // a finished fiber is not resumed
}

#ifdef HEDDLE_ASAN
void fiber::asan_leave(void** parked, const void* bottom, std::size_t size) {
  __sanitizer_start_switch_fiber(parked, bottom, size);
}
void fiber::asan_arrive(void* parked, const void** from_bottom, std::size_t* from_size) {
  __sanitizer_finish_switch_fiber(parked, from_bottom, from_size);
}
#else
void fiber::asan_leave(void**, const void*, std::size_t) {}
void fiber::asan_arrive(void*, const void**, std::size_t*) {}
#endif

}  // namespace heddle::runtime
