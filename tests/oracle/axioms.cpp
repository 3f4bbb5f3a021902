// `a * b` is composition, `from(S, a)` is [S];a and `to(a, S)` is a;[S].
#include "tests/oracle/axioms.hpp"

namespace heddle::oracle {
namespace {

using litmus::memory_order;

// The primitive relations and sets of a graph.
struct primitives {
  explicit primitives(const execution& graph);

  int size;
  event_set reads = 0, writes = 0, fences = 0, accesses = 0;
  event_set initial = 0;
  event_set updates = 0;  // halves of read-modify-writes
  event_set plain = 0;    // accesses that are not atomic
  event_set at_least_acquire = 0, at_least_release = 0, sequential = 0;
  event_set forks_and_joins = 0, begins_and_ends = 0;
  relation po, sb, rf, co, fr, rmw, asw;
  relation same_location, same_thread;
};

void add_order(const execution& graph, int location, relation& co) {
  const write_order& order = graph.order_of(location);
  event_set later = 0;
  for (int i = order.size - 1; i >= 0; --i) {
    const int write = order.writes[static_cast<std::size_t>(i)];
    co.row(write) |= later;
    later |= only(write);
  }
  co.row(location) |= later;
}

primitives::primitives(const execution& graph)
    : size(graph.size),
      po(size),
      sb(size),
      rf(size),
      co(size),
      fr(size),
      rmw(size),
      asw(size),
      same_location(size),
      same_thread(size) {
  std::array<event_set, max_threads> of_thread{};
  std::array<event_set, max_locations> of_location{};
  for (int id = 0; id < size; ++id) {
    const event& what = graph.at(id);
    const event_set self = only(id);
    switch (what.kind) {
      case event_kind::read:
        reads |= self;
        rf.add(what.source, id);
        break;
      case event_kind::write:
        writes |= self;
        if (what.is_update) rmw.add(what.source, id);
        break;
      case event_kind::fence:
        fences |= self;
        break;
      case event_kind::choice:
        break;
      case event_kind::spawn:
        forks_and_joins |= self;
        break;
      case event_kind::join:
        forks_and_joins |= self;
        asw.add(what.source, id);
        break;
      case event_kind::begin:
        begins_and_ends |= self;
        asw.add(what.source, id);
        break;
      case event_kind::end:
        begins_and_ends |= self;
        break;
    }
    if (what.is_update) updates |= self;
    if (what.location != litmus::none) {
      of_location[static_cast<std::size_t>(what.location)] |= self;
    }
    if (what.thread == litmus::none) {
      initial |= self;
      plain |= self;
      continue;
    }
    event_set& before = of_thread[static_cast<std::size_t>(what.thread)];
    for_each(before, [&](int earlier) { po.add(earlier, id); });
    before |= self;
    const memory_order order = what.order;
    const bool is_ordered = contains(reads | writes | fences, id);
    if (!is_ordered) continue;
    if (order == memory_order::plain) plain |= self;
    if (order == memory_order::seq_cst) sequential |= self;
    if (order == memory_order::acquire || order == memory_order::acq_rel ||
        order == memory_order::seq_cst) {
      at_least_acquire |= self;
    }
    if (order == memory_order::release || order == memory_order::acq_rel ||
        order == memory_order::seq_cst) {
      at_least_release |= self;
    }
  }
  accesses = reads | writes;
  const event_set all = size == max_events ? ~event_set{0} : only(size) - 1;
  sb = po;
  for_each(initial, [&](int id) { sb.row(id) = all & ~initial; });
  for (int location = 0; location < graph.locations; ++location) add_order(graph, location, co);
  fr = inverse(rf) * co;
  for (int id = 0; id < size; ++id) {
    const event& what = graph.at(id);
    if (what.location != litmus::none) {
      same_location.row(id) = of_location[static_cast<std::size_t>(what.location)];
    }
    if (what.thread != litmus::none) {
      same_thread.row(id) = of_thread[static_cast<std::size_t>(what.thread)];
    }
  }
}

bool is_atomic(const primitives& p) { return empty(p.rmw & (p.fr * p.co)); }

// sw = [>=rel];([F];sb)?;rs;rf;[R>=rlx];(sb;[F])?;[>=acq]
relation synchronizes_with(const primitives& p, release_sequence sequences) {
  const event_set atomic_writes = p.writes & ~p.plain;
  const event_set atomic_reads = p.reads & ~p.plain;
  const relation updates = maybe(closure(p.rf * p.rmw));
  relation rs = from(atomic_writes, updates);
  if (sequences == release_sequence::cpp11) {
    rs = from(p.writes, maybe(p.sb & p.same_location)) * rs;
  }
  const relation release = from(p.at_least_release, maybe(from(p.fences, p.sb)));
  const relation acquire = to(maybe(to(p.sb, p.fences)), p.at_least_acquire);
  return release * rs * to(p.rf, atomic_reads) * acquire;
}

relation happens_before(const primitives& p, release_sequence sequences) {
  return closure(p.sb | synchronizes_with(p, sequences) | p.asw);
}

bool is_rc11(const primitives& p, release_sequence sequences) {
  if (!acyclic(p.sb | p.rf | p.asw) || !is_atomic(p)) return false;

  const relation hb = happens_before(p, sequences);
  const relation eco = closure(p.rf | p.co | p.fr);
  if (!irreflexive(hb) || !irreflexive(hb * eco)) return false;

  if (p.sequential == 0) return true;  // psc is empty
  const event_set sc = p.sequential;
  const event_set sc_fences = sc & p.fences;
  const relation sb_elsewhere = p.sb - p.same_location;
  const relation scb =
      p.sb | (sb_elsewhere * hb * sb_elsewhere) | (hb & p.same_location) | p.co | p.fr;
  const relation hb_maybe = maybe(hb);
  const relation sc_only = identity(sc, p.size);
  const relation psc_base =
      (sc_only | from(sc_fences, hb_maybe)) * scb * (sc_only | to(hb_maybe, sc_fences));
  const relation psc_fence = to(from(sc_fences, hb | from(sc_fences, hb) * eco * hb), sc_fences);
  return acyclic(psc_base | psc_fence);
}

bool is_sequential(const primitives& p) {
  return is_atomic(p) && acyclic(p.sb | p.rf | p.co | p.fr | p.asw);
}

// The pairs of program order that TSO keeps: all but a write before a read, and those too if an
// update, an SC fence (which follows every SC store), a spawn or a join stands at one of the two or
// between them.
relation preserved_program_order(const primitives& p) {
  const event_set sc_fences = p.sequential & p.fences;
  const event_set nodes = p.accesses | sc_fences | p.forks_and_joins | p.begins_and_ends;
  const event_set fenced_writes = p.sequential & p.writes;
  const event_set barriers = p.updates | sc_fences | p.forks_and_joins;
  const relation between = to(p.po, barriers | fenced_writes) * p.po;
  const relation write_read = to(from(p.writes, p.po), p.reads);
  const relation kept = from(p.updates | fenced_writes, write_read) | to(write_read, p.updates) |
                        (write_read & between);
  return to(from(nodes, p.po), nodes) - (write_read - kept);
}

bool is_tso(const primitives& p) {
  if (!is_atomic(p)) return false;
  if (!acyclic((p.sb & p.same_location) | p.rf | p.co | p.fr)) return false;
  const relation initial = from(p.initial, p.sb);
  return acyclic(preserved_program_order(p) | initial | (p.rf - p.same_thread) | p.co | p.fr |
                 p.asw);
}

}  // namespace

bool is_consistent(const execution& graph, dialect in) {
  const primitives p(graph);
  switch (in.memory_model) {
    case model::rc11:
      return is_rc11(p, in.sequences);
    case model::tso:
      return is_tso(p);
    case model::sc:
      return is_sequential(p);
  }
  return false;
}

bool has_race(const execution& graph, dialect in) {
  const primitives p(graph);
  const event_set atomic_reads = p.reads & ~p.plain;
  const relation hb = in.memory_model == model::sc ? closure(p.sb | to(p.rf, atomic_reads) | p.asw)
                                                   : happens_before(p, in.sequences);
  const event_set plain = p.plain & ~p.initial;
  const relation conflicts =
      to(from(plain & p.writes, p.same_location), plain) - p.same_thread - hb - inverse(hb);
  return !empty(conflicts);
}

}  // namespace heddle::oracle
