// Who has used an object, and where: the second line of a misuse.
#include "checker/runtime/execution.hpp"

namespace heddle::runtime {

using graph::event;
using graph::event_kind;
using graph::location_id;
using graph::thread_id;

const object_side* execution::known_side(const void* object) {
  const object_table::object* known = objects_.find(identity(object));
  return known == nullptr ? nullptr : &known->side;
}

location execution::last_use(const void* object, thread_id thread) {
  const object_table::object* known = objects_.find(identity(object));
  if (known == nullptr || thread >= graph_->thread_count()) return {};
  const std::uint32_t last = graph_->last_access(thread, known->location);
  if (last == 0 || last > threads_[thread]->places.size()) return {};
  return threads_[thread]->places[last - 1];
}

location execution::last_change(const void* object, std::optional<std::uint32_t> part) {
  const object_table::object* known = objects_.find(identity(object));
  if (known == nullptr) return {};
  const location_id read = part ? objects_.find_part(known->location, *part) : known->location;
  const auto mine = graph_->events(running_);
  for (std::uint32_t i = threads_[running_]->consumed; i-- > 0;) {
    const event& e = mine[i];
    if (e.kind != event_kind::read || e.location != read) continue;
    if (e.reads_from.is_initial()) return {};
    const auto& places = threads_[e.reads_from.thread()]->places;
    return e.reads_from.index() < places.size() ? places[e.reads_from.index()] : location{};
  }
  return {};
}

std::optional<concurrent_use> execution::used_concurrently(const void* object) {
  const object_table::object* known = objects_.find(identity(object));
  if (known == nullptr) return {};
  std::optional<concurrent_use> found;
  const graph::view past = graph_->happens_before_after(running_, threads_[running_]->consumed);
  const auto look_at = [&](location_id l) {
    for (thread_id t = 0; t < thread_count(); ++t) {
      const model_thread& other = *threads_[t];
      if (t == running_ || (found && found->waits)) continue;
      const bool stands_here = other.stands && other.state != thread_state::absent &&
                               other.pending.location == l &&
                               other.pending.kind <= graph::operation_kind::pick;
      if (stands_here) {
        found = {t, other.pending.blocks, other.pending_where};
      } else if (const std::uint32_t last =
                     t < graph_->thread_count() ? graph_->last_access(t, l) : 0;
                 !found && last > past[t]) {
        found = {t, false, last <= other.places.size() ? other.places[last - 1] : location{}};
      }
    }
  };
  look_at(known->location);
  objects_.for_parts(known->location, look_at);
  return found;
}

}  // namespace heddle::runtime
