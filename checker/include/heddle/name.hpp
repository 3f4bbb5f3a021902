// Names for reports.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "heddle/one_build.hpp"

#if defined(HEDDLE_CHECKED)
#include <memory>

#include "checker/runtime/interface.hpp"
#endif

namespace heddle {

// Reports call the object `text` from now on in this execution, instead of by its place. Does
// nothing outside a body, and nothing in the production build.
template <class Object>
void name([[maybe_unused]] const Object& object, [[maybe_unused]] std::string_view text) {
#if defined(HEDDLE_CHECKED)
  runtime::name(std::addressof(object), text);
#endif
}

// The same for each element: "slot[0]", "slot[1]", ...
template <class Element, std::size_t N>
void name([[maybe_unused]] const std::array<Element, N>& objects,
          [[maybe_unused]] std::string_view text) {
#if defined(HEDDLE_CHECKED)
  for (std::size_t i = 0; i < N; ++i)
    runtime::name(std::addressof(objects[i]), std::string{text} + '[' + std::to_string(i) + ']');
#endif
}

}  // namespace heddle
