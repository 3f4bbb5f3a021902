#include "heddle/scenario.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

namespace heddle {
namespace {

// Constructed by the first registration, so destroyed after the last.
std::vector<const scenario*>& registry() {
  static std::vector<const scenario*> all;
  return all;
}

// declared.size() if there is none.
std::size_t index_of(const std::vector<parameter>& declared, std::string_view name) {
  const auto found = std::ranges::find(declared, name, &parameter::name);
  return static_cast<std::size_t>(std::distance(declared.begin(), found));
}

}  // namespace

namespace detail {

registration::registration(const scenario* registered) : scenario_{registered} {
  registry().push_back(registered);
}

registration::~registration() { std::erase(registry(), scenario_); }

}  // namespace detail

parameters::parameters(std::vector<parameter> declared) : declared_{std::move(declared)} {
  std::ranges::transform(declared_, std::back_inserter(values_), &parameter::value);
}

int parameters::operator[](std::string_view name) const {
  const std::size_t index = index_of(declared_, name);
  if (index == declared_.size()) {
    throw std::out_of_range{"the scenario declares no parameter '" + std::string{name} + "'"};
  }
  return values_[index];
}

void parameters::set(std::string_view name, int value) {
  const std::size_t index = index_of(declared_, name);
  if (index == declared_.size()) {
    std::string message = "unknown parameter '" + std::string{name} + "'";
    std::string_view separator = "; there are ";
    if (declared_.empty()) message += "; there are none";
    for (const parameter& known : declared_) {
      message.append(separator).append(known.name);
      separator = ", ";
    }
    throw std::invalid_argument{message};
  }
  const parameter& known = declared_[index];
  if (value < known.min || value > known.max) {
    throw std::invalid_argument{std::string{name} + "=" + std::to_string(value) +
                                " is not within " + std::to_string(known.min) + ".." +
                                std::to_string(known.max)};
  }
  values_[index] = value;
}

bool parameters::as_declared() const {
  return std::ranges::equal(declared_, values_, {}, &parameter::value);
}

std::vector<const scenario*> registered_scenarios() {
  std::vector<const scenario*> sorted = registry();
  std::ranges::sort(sorted, {}, &scenario::name);
  const auto twice = std::ranges::adjacent_find(sorted, {}, &scenario::name);
  if (twice != sorted.end()) {
    throw std::logic_error{"two scenarios are called " + std::string{(*twice)->name}};
  }
  return sorted;
}

}  // namespace heddle
