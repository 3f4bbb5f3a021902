#include "checker/runtime/source_place.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "checker/runtime/heap.hpp"

// libbacktrace's interface, declared here because its header lies in a folder of g++ that clang
// does not search.
extern "C" {
struct backtrace_state;
using backtrace_error_callback = void (*)(void* data, const char* message, int error);
using backtrace_full_callback = int (*)(void* data, std::uintptr_t pc, const char* file, int line,
                                        const char* function);
backtrace_state* backtrace_create_state(const char* program, int threaded, backtrace_error_callback,
                                        void* data);
using backtrace_syminfo_callback = void (*)(void* data, std::uintptr_t pc, const char* name,
                                            std::uintptr_t begin, std::uintptr_t size);
int backtrace_syminfo(backtrace_state*, std::uintptr_t address, backtrace_syminfo_callback,
                      backtrace_error_callback, void* data);
int backtrace_pcinfo(backtrace_state*, std::uintptr_t pc, backtrace_full_callback,
                     backtrace_error_callback, void* data);
}

namespace heddle::runtime {

namespace {

void ignore_error(void*, const char*, int) {}

// This file as the compiler was told, "checker/runtime/source_place.cpp" behind some folder or
// none.
constexpr std::string_view this_file = __FILE__;
constexpr std::string_view this_name = "runtime/source_place.cpp";
static_assert(this_file.ends_with(this_name));
// "…/checker/"
constexpr std::string_view checker_folder =
    this_file.substr(0, this_file.size() - this_name.size());

// The frame looked at last; frames come innermost first.
struct frame_search {
  std::string file;
  std::uint32_t line = 0;
  std::string function;
};

// Debug information holds a relative file name behind the folder of the compilation, which nobody
// wants to read: "build/checked/" + "models/backlog.hpp".
std::string_view compilation_folder();

bool is_header(std::string_view file) { return file.ends_with(".hpp") || file.ends_with(".h"); }

bool is_checker_header(std::string_view file) {
  return is_header(file) &&
         (file.starts_with(checker_folder) || file.starts_with("include/heddle/") ||
          file.find("/include/heddle/") != std::string_view::npos);
}

// Of the compiler or the system, such as the standard library's.
bool is_library_header(std::string_view file) {
  return file.starts_with("/usr/") || file.find("/include/c++/") != std::string_view::npos;
}

// Of the system, such as the C library.
bool is_library(std::string_view module) {
  return module.starts_with("/lib") || module.starts_with("/usr/lib");
}

int take_frame(void* data, std::uintptr_t, const char* file, int line, const char* function) {
  frame_search& search = *static_cast<frame_search*>(data);
  if (file == nullptr) return 0;
  std::string_view shown = file;
  if (shown.starts_with(compilation_folder())) shown.remove_prefix(compilation_folder().size());
  // clang: libbacktrace puts the folder of the compilation in front of absolute names, too.
  if (const auto slashes = shown.rfind("//"); slashes != std::string_view::npos) {
    shown.remove_prefix(slashes + 1);
  }
  search.file = shown;
  search.line = static_cast<std::uint32_t>(line);
  search.function = function != nullptr ? function : "";
  // 0: go on with the next frame outwards
  return is_checker_header(shown) || is_library_header(shown) ? 0 : 1;
}

backtrace_state* debug_information() {
  static backtrace_state* const state = backtrace_create_state(nullptr, 1, ignore_error, nullptr);
  return state;
}

void look_up(std::uintptr_t pc, backtrace_full_callback callback, void* data) {
  if (auto* const state = debug_information())
    backtrace_pcinfo(state, pc, callback, ignore_error, data);
}

// Learnt from what the debug information says about this file.
std::string_view compilation_folder() {
  static const std::string folder = [] {
    std::string own;
    if (this_file.starts_with('/')) return own;
    look_up(
        reinterpret_cast<std::uintptr_t>(&look_up),
        [](void* data, std::uintptr_t, const char* file, int, const char*) {
          if (file != nullptr) *static_cast<std::string*>(data) = file;
          return 1;
        },
        &own);
    own.resize(own.ends_with(this_file) ? own.size() - this_file.size() : 0);
    return own;
  }();
  return folder;
}

std::string demangled(const std::string& function) {
  int status = 0;
  char* const text = abi::__cxa_demangle(function.c_str(), nullptr, nullptr, &status);
  if (text == nullptr) return function;
  std::string result = text;
  std::free(text);
  return result;
}

}  // namespace

resolved_place resolve(location where) noexcept {
  const heap_pause real_heap;
  resolved_place place;
  try {
    if (where.file == nullptr) return place;
    if (!where.is_return_address()) return {where.file, where.line, {}};
    frame_search search;
    // The call stands before the address it returns to.
    look_up(reinterpret_cast<std::uintptr_t>(where.file) - 1, take_frame, &search);
    if (!search.file.empty()) {
      place = {std::move(search.file), search.line, demangled(search.function)};
    }
  } catch (...) {  // no memory
  }
  return place;
}

symbol symbol_at(const void* address) noexcept {
  const heap_pause real_heap;
  symbol found;
  try {
    if (auto* const state = debug_information()) {
      backtrace_syminfo(
          state, reinterpret_cast<std::uintptr_t>(address),
          [](void* data, std::uintptr_t, const char* name, std::uintptr_t, std::uintptr_t size) {
            if (name != nullptr) *static_cast<symbol*>(data) = {name, size};
          },
          ignore_error, &found);
    }
  } catch (...) {  // no memory
  }
  return found;
}

location user_place(const call_stack& stack) noexcept {
  for (std::size_t i = 0; i < stack.count; ++i) {
    Dl_info module;
    if (dladdr(stack.frames[i], &module) != 0 && is_library(module.dli_fname)) continue;
    const location where = location::from_return_address(stack.frames[i]);
    const resolved_place place = resolve(where);
    if (place.line != 0 && !place.file.starts_with(checker_folder) &&
        !is_checker_header(place.file) && !is_library_header(place.file))
      return where;
  }
  return {};
}

std::string describe(location where) noexcept {
  const heap_pause real_heap;
  const resolved_place place = resolve(where);
  if (place.file == "?") return place.file;
  return place.file + ":" + std::to_string(place.line);
}

}  // namespace heddle::runtime
