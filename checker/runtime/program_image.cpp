#include "checker/runtime/program_image.hpp"

#include <link.h>

#include <array>
#include <cstdint>

namespace heddle::runtime {

namespace {

struct image {
  std::array<static_storage, 8> writable{};
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
      found.writable[found.count++] = {reinterpret_cast<const std::byte*>(begin),
                                       reinterpret_cast<const std::byte*>(begin + header.p_memsz)};
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
  const auto* a = static_cast<const std::byte*>(address);
  for (const static_storage& s : find_static_storage())
    if (a >= s.begin && a < s.end) return true;
  return false;
}

std::span<const static_storage> find_static_storage() {
  const image& found = look();
  return {found.writable.data(), found.count};
}

thread_local_block find_thread_locals() {
  // each OS thread has its own
  image mine;
  dl_iterate_phdr(visit, &mine);
  return mine.locals.begin == nullptr ? thread_local_block{} : mine.locals;
}

}  // namespace heddle::runtime
