// From a litmus program back to its text.
#include <algorithm>

#include "checker/litmus/names.hpp"
#include "checker/litmus/program.hpp"

namespace heddle::litmus {
namespace {

std::string text_of(const operand& what) {
  if (what.base == none) return std::to_string(what.constant);
  std::string text = "r" + std::to_string(what.base);
  if (what.constant > 0) text += "+";
  if (what.constant != 0) text += std::to_string(what.constant);
  return text;
}

std::string text_of_condition(const instruction& what) {
  return "(" + text_of(what.left) + name_in(comparison_names, what.relation) + text_of(what.right) +
         ")";
}

std::string text_of_call(const instruction& what, const std::string& location) {
  std::string text = name_in(call_names, what.kind) + "(";
  switch (what.kind) {
    case operation::choice:
      return text + std::to_string(what.count) + ")";
    case operation::await:
      text += location + name_in(comparison_names, what.relation) + text_of(what.left);
      break;
    case operation::compare_exchange:
    case operation::await_exchange:
      text += location + "," + text_of(what.left) + "," + text_of(what.right);
      break;
    case operation::pick:
    case operation::await_decrement:
      text += location;
      break;
    default:
      text += location + "," + text_of(what.left);
  }
  text += ")." + name_in(order_names, what.order);
  if (what.kind == operation::compare_exchange &&
      what.failure_order != default_failure_order(what.order)) {
    text += "/" + name_in(order_names, what.failure_order);
  }
  return text;
}

std::string text_of(const instruction& what, const std::vector<std::string>& locations) {
  const std::string location =
      what.location == none ? "" : locations[static_cast<std::size_t>(what.location)];
  const std::string order = "." + name_in(order_names, what.order);
  const std::string result = what.result == none ? "" : "r" + std::to_string(what.result) + "=";
  switch (what.kind) {
    case operation::load:
      return result + location + order;
    case operation::store:
      return location + order + "=" + text_of(what.left);
    case operation::fence:
      return "fence" + order;
    case operation::assign:
      return result + text_of(what.left);
    case operation::skip_if:
      return "if" + text_of_condition(what) + "skip" + std::to_string(what.count);
    case operation::assume:
      return "assume" + text_of_condition(what);
    case operation::check:
      return "assert" + text_of_condition(what);
    case operation::spawn:
      return "spawn" + std::to_string(what.count);
    case operation::join:
      return "join" + std::to_string(what.count);
    default:
      return result + text_of_call(what, location);
  }
}

// Without a prefix the locations are numbered in the order of their first use and start at 0.
bool needs_prefix(const program& source) {
  int seen = 0;
  for (const auto& thread : source.threads) {
    for (const instruction& what : thread) {
      if (what.location > seen) return true;
      if (what.location == seen) ++seen;
    }
  }
  return seen != static_cast<int>(source.locations.size()) ||
         std::any_of(source.initial.begin(), source.initial.end(),
                     [](std::int64_t value) { return value != 0; });
}

}  // namespace

std::string print(const program& source) {
  std::string text;
  if (needs_prefix(source)) {
    for (std::size_t i = 0; i < source.locations.size(); ++i) {
      text += (i == 0 ? "" : "; ") + source.locations[i] + "=" + std::to_string(source.initial[i]);
    }
    text += " :: ";
  }
  for (std::size_t t = 0; t < source.threads.size(); ++t) {
    if (t != 0) text += " | ";
    for (std::size_t i = 0; i < source.threads[t].size(); ++i) {
      text += (i == 0 ? "" : "; ") + text_of(source.threads[t][i], source.locations);
    }
  }
  return text;
}

}  // namespace heddle::litmus
