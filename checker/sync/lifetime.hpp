// What std demands of who destroys a semaphore, a latch or a barrier: the destructor is the one
// member function that may not run at the same time as another. So whatever a thread does to the
// object must happen before its destruction, and nothing may come after it.
//
// The side word says that the object is no more. It is no event: whichever of destruction and use
// comes second in a run finds the other, so that each order of the two is misuse.
#pragma once

#include <string_view>

#include "checker/runtime/interface.hpp"

namespace heddle::sync {

// Misuse if the object is no more, which then is not touched. `what`: "a latch".
void check_alive(const void* object, std::string_view what, runtime::location where);

// The object is no more. Misuse if another thread waits for it now, or has used it and nothing
// orders that before now. Outside a body nothing happens.
void end_life(const void* object, graph::value bytes, std::string_view what,
              runtime::location where);

}  // namespace heddle::sync
