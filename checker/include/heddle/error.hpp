// The error of using the checker wrongly, as opposed to a fault found in the code under check.
#pragma once

#include <stdexcept>

namespace heddle {

// Thrown where the mistake is made: an operation that needs a body under `heddle::check` is called
// outside of one, or an option has no meaning. Never thrown by the production build.
class usage_error : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace heddle
