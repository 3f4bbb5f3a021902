// Rows of the table as C++ bodies. Every kind of instruction is among them but for awaitdec and
// pick, which stand for primitives that no C++ operation here is made of.
#pragma once

#include <functional>
#include <vector>

namespace heddle {

struct native {
  const char* row;  // its name; or a program that is not in the table, which has a `;`
  std::function<void()> body;
};

// Of the table first.
const std::vector<native>& natives();
// A `require` that fails, and the same as an assert.
native broken_promise();

}  // namespace heddle
