#include "checker/runtime/program_image.hpp"

#include <link.h>

#include <array>
#include <cstdint>

namespace heddle::runtime {

namespace {

struct segment {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};
struct image {
  std::array<segment, 8> writable{};
  std::size_t count = 0;
  thread_local_block locals;
};

// The executable is the first object that is visited.
int visit(dl_phdr_info* info, std::size_t, void* context) {
  image& found = *static_cast<image*>(context);
  for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0 &&
        found.count < found.writable.size()) {
      found.writable[found.count++] = {begin, begin + header.p_memsz};
    } else if (header.p_type == PT_TLS) {
      found.locals = {static_cast<std::byte*>(info->dlpi_tls_data),
                      header.p_memsz,
                      {reinterpret_cast<const std::byte*>(begin), header.p_filesz}};
    }
  }
  return 1;
}

// No function-local static: this is asked while one is being initialised (static_locals.cpp).
constinit image program{};
constinit bool is_known = false;

const image& look() {
  if (!is_known) dl_iterate_phdr(visit, &program);
  is_known = true;
  return program;
}

}  // namespace

bool in_static_storage(const void* address) {
  const image& found = look();
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  for (std::size_t i = 0; i < found.count; ++i)
    if (a >= found.writable[i].begin && a < found.writable[i].end) return true;
  return false;
}

thread_local_block find_thread_locals() {
  // each OS thread has its own
  image mine;
  dl_iterate_phdr(visit, &mine);
  return mine.locals.begin == nullptr ? thread_local_block{} : mine.locals;
}

}  // namespace heddle::runtime
