// How the litmus language spells orders, comparisons and operations; shared by its parser and
// printer.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "checker/litmus/program.hpp"

namespace heddle::litmus {

template <class Value>
struct name_of {
  std::string_view name;
  Value value;
};

inline constexpr std::array<name_of<memory_order>, 6> order_names{{{"na", memory_order::plain},
                                                                   {"rlx", memory_order::relaxed},
                                                                   {"acq", memory_order::acquire},
                                                                   {"rel", memory_order::release},
                                                                   {"ar", memory_order::acq_rel},
                                                                   {"sc", memory_order::seq_cst}}};

// Longer names first: the parser takes the first that fits.
inline constexpr std::array<name_of<comparison>, 6> comparison_names{
    {{"==", comparison::equal},
     {"!=", comparison::not_equal},
     {"<=", comparison::less_equal},
     {">=", comparison::greater_equal},
     {"<", comparison::less},
     {">", comparison::greater}}};

// Operations written like a call.
inline constexpr std::array<name_of<operation>, 11> call_names{
    {{"add", operation::fetch_add},
     {"sub", operation::fetch_sub},
     {"xchg", operation::exchange},
     {"or", operation::fetch_or},
     {"andn", operation::fetch_and_not},
     {"cas", operation::compare_exchange},
     {"await", operation::await},
     {"awaitcas", operation::await_exchange},
     {"awaitdec", operation::await_decrement},
     {"pick", operation::pick},
     {"choice", operation::choice}}};

// Statement words, which cannot name a location either.
inline constexpr std::array<std::string_view, 8> statement_names{
    "fence", "if", "skip", "assume", "assert", "spawn", "join", "init"};

inline constexpr std::string_view load_orders = "na, rlx, acq, sc";
inline constexpr std::string_view store_orders = "na, rlx, rel, sc";
inline constexpr std::string_view access_orders = "na, rlx, acq, rel, sc";
inline constexpr std::string_view atomic_load_orders = "rlx, acq, sc";
inline constexpr std::string_view update_orders = "rlx, acq, rel, ar, sc";
inline constexpr std::string_view fence_orders = "acq, rel, ar, sc";

template <class Table>
auto value_of(const Table& table, std::string_view name)
    -> std::optional<decltype(table.front().value)> {
  for (const auto& entry : table) {
    if (entry.name == name) return entry.value;
  }
  return std::nullopt;
}

template <class Table, class Value>
std::string name_in(const Table& table, Value value) {
  for (const auto& entry : table) {
    if (entry.value == value) return std::string(entry.name);
  }
  return "?";
}

inline memory_order default_failure_order(memory_order order) {
  if (order == memory_order::acq_rel) return memory_order::acquire;
  if (order == memory_order::release) return memory_order::relaxed;
  return order;
}

}  // namespace heddle::litmus
