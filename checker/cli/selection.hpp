// Which scenarios a pattern means.
#pragma once

#include <string>
#include <vector>

#include "heddle/scenario.hpp"

namespace heddle::cli {

// A name, a family, a catalogue id, or a shell pattern over names and ids; empty: all. Throws
// usage_error, naming the valid ones, if there are none.
std::vector<const scenario*> select(const std::string& pattern);

}  // namespace heddle::cli
