// Where failures stand that no operation reports: crashes, exceptions that leave a thread.
#include <utility>

#include "checker/runtime/execution.hpp"
#include "checker/runtime/source_place.hpp"

namespace heddle::runtime {

void execution::note_crash(std::string message, const call_stack& stack) {
  failure_.emplace(failure{verdict_kind::crash, std::move(message), {}, {}, running_, 0});
  crash_stack_ = stack;
}

void execution::place_crash() {
  failure_->where = user_place(crash_stack_);
  if (failure_->where.file != nullptr) return;
  failure_->where = last_place(failure_->thread);
  if (failure_->where.file != nullptr) failure_->message += ", after the operation at this place";
}

void execution::exception_left(std::string message) {
  location where;
  if (const call_stack* const stack = thrown_at(current_exception_object()))
    where = user_place(*stack);
  const bool is_known = where.file != nullptr;
  fail(verdict_kind::exception, std::move(message), is_known ? where : last_place(running_),
       is_known ? threads_[running_]->created_where : location{});
}

location execution::last_place(graph::thread_id thread) const {
  const model_thread& its = *threads_[thread];
  for (auto place = its.places.rbegin(); place != its.places.rend(); ++place)
    if (place->file != nullptr) return *place;
  return its.created_where;
}

}  // namespace heddle::runtime
