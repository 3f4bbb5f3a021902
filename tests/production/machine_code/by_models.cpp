// Three techniques as models/ has them, under names that the comparison looks for.
#include "models/block_reservation.hpp"
#include "models/percpu_counter.hpp"
#include "models/shrinker_backlog.hpp"

using backlog = models::shrinker_backlog<models::drain::exchange>;

extern "C" {

int same_backlog_shrink(backlog& b, int objects) { return b.shrink(objects); }

void same_percpu_add(models::percpu_counter<>& c, int cpu, int amount) { c.add(cpu, amount); }

int same_percpu_sum(models::percpu_counter<>& c) { return c.sum(); }

bool same_reserve(models::atomic_reservation& r, int blocks) { return r.reserve(blocks); }

// The control: by_hand.cpp has another drain here, and the comparison must see it.
int different_backlog_take(backlog& b) { return b.take(); }
}
