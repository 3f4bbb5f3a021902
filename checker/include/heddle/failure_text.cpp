#include "heddle/failure_text.hpp"

#include "checker/report/text.hpp"
#include "checker/runtime/heap.hpp"
#include "checker/runtime/source_place.hpp"

namespace heddle::detail {

namespace {

std::string place_text(runtime::location where) {
  return where.file == nullptr ? std::string{} : runtime::describe(where);
}

// Pointers into a body's memory print as thread and allocation, the same in every run.
std::string value_text(graph::value v) {
  const auto* address = reinterpret_cast<const void*>(v.low);  // NOLINT
  return v.high == 0 && runtime::heap_owns(address) ? runtime::heap_text(address) : std::string{};
}

}  // namespace

std::string failure_text(const runtime::execution& run, const graph::execution_graph& graph,
                         const runtime::failure& failure, std::string_view memory_model) {
  report::run_facts facts;
  facts.kind = to_string(failure.kind);
  facts.message = failure.message;
  facts.place = place_text(failure.where);
  facts.other_place = place_text(failure.other);
  facts.memory_model = memory_model;
  facts.thread = failure.thread;
  const bool everybody = failure.kind == verdict_kind::deadlock ||
                         failure.kind == verdict_kind::lost_wakeup ||
                         failure.kind == verdict_kind::livelock;
  if (everybody) {
    facts.thread.reset();
  } else {
    facts.ends = {failure.thread};
    if (failure.kind == verdict_kind::data_race) facts.ends.push_back(failure.other_thread);
  }
  for (graph::thread_id t = 0; t < run.thread_count(); ++t) {
    facts.threads.push_back({place_text(run.created_at(t)), run.is_daemon(t)});
    if (!everybody) continue;
    const runtime::thread_state state = run.state(t);
    if (state == runtime::thread_state::waiting || state == runtime::thread_state::sleeping) {
      facts.waiting.push_back({t, run.pending(t), {}, place_text(run.pending_place(t))});
    } else if (state == runtime::thread_state::awaiting) {
      facts.waiting.push_back({t,
                               {},
                               "waits in await(pred) for what it has read to change",
                               place_text(run.pending_place(t))});
    } else if (state == runtime::thread_state::bounded ||
               state == runtime::thread_state::spinning) {
      facts.waiting.push_back({t, {}, "loops for ever", place_text(run.pending_place(t))});
    }
  }
  facts.place_of = [&run](graph::event_id id) {
    const auto& places = run.places(id.thread());
    return id.index() < places.size() ? place_text(places[id.index()]) : std::string{};
  };
  facts.name_of = [&run](graph::location_id location) { return run.location_name(location); };
  facts.kind_of = [&run](graph::location_id location) { return run.kind(location); };
  facts.condition_of = [&run](graph::location_id location) { return run.condition_of(location); };
  facts.sleeper_of = [&run](graph::location_id location) { return run.sleeper_of(location); };
  facts.text_of = [](graph::location_id, graph::value v) { return value_text(v); };
  return report::to_text(graph, facts);
}

}  // namespace heddle::detail
