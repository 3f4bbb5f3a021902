// Names for reports.
#pragma once

#include <string_view>

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

}  // namespace heddle
