// What stop_source, stop_token and stop_callback share: one request to stop, and the callbacks that
// it runs.
//
// The object's own location is the request, stored once with release and read with acquire. An
// inner lock protects the list of callbacks and orders registration with the request, so that a
// callback is run either by the request or by its own constructor. Each thread counts the sources
// that it has made and destroyed in a part of its own: counts are read only by has_source, and
// copies that threads destroy at the same time are not ordered with each other.
#pragma once

#include <cstdint>

#include "checker/runtime/interface.hpp"

namespace heddle::sync {

class stop_state {
 public:
  // In the memory of who registers it.
  class callback {
   public:
    // `run` may destroy the callback.
    explicit callback(void (*run)(callback&) noexcept) noexcept : run_(run) {}
    callback(const callback&) = delete;
    callback& operator=(const callback&) = delete;

   private:
    friend class stop_state;

    void (*run_)(callback&) noexcept;
    callback* newer_ = nullptr;
    callback* older_ = nullptr;
    bool is_listed_ = false;
    std::uint32_t number_ = 0;  // of its registration
  };

  stop_state() noexcept { runtime::constructed(this, {}); }
  stop_state(const stop_state&) = delete;
  stop_state& operator=(const stop_state&) = delete;

  // Synchronises with the request, if it returns true.
  bool is_requested(runtime::location where) const;

  // False: not the first. The first runs all callbacks, the newest first, and then returns.
  bool request(runtime::location where);

  // False: a stop has been requested already, and the caller runs the callback.
  bool add(callback& added, runtime::location where);
  // Of one that was added: it does not run any more when this returns. If another thread runs it
  // now, waits for it to return.
  void remove(callback& removed, runtime::location where);

  // A source more, or one less; the state is made with one.
  void count_source(int by, runtime::location where);
  bool has_source(runtime::location where) const;

 private:
  graph::value bytes() const { return {is_requested_, 0}; }
  void lock(runtime::location where) const;
  void unlock(runtime::location where) const;
  void unlink(callback& linked);
  void run(callback& first, runtime::location where);

  // All of it under the lock; the last two belong to the thread that requests the stop.
  bool is_requested_ = false;
  std::uint32_t registrations_ = 0;
  callback* newest_ = nullptr;
  graph::thread_id requester_ = 0;
  callback* running_ = nullptr;
  bool running_is_destroyed_ = false;
  int sources_ = 1;  // the first one, and what is counted outside a body
};

}  // namespace heddle::sync
