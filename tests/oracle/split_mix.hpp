// Random numbers that are the same everywhere: the distributions of <random> differ between
// libraries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle::oracle {

// Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA'14.
class split_mix {
 public:
  explicit split_mix(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  int below(int bound) { return static_cast<int>(next() % static_cast<std::uint64_t>(bound)); }
  int between(int least, int most) { return least + below(most - least + 1); }
  bool percent(int chance) { return below(100) < chance; }

  template <class Value, std::size_t Size>
  Value any_of(const std::array<Value, Size>& values) {
    return values[static_cast<std::size_t>(below(static_cast<int>(Size)))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace heddle::oracle
