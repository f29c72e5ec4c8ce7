#include "os/memory_protection.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

#include "os/read_file.h"
#include "sigsafe/base/check.h"

namespace jprof {
namespace {

std::string Hexadecimal(uintptr_t address) {
  char text[24];
  snprintf(text, sizeof text, "%#zx", size_t{address});
  return text;
}

}  // namespace

// "begin-end rwxp …" (Linux fs/proc/task_mmu.c, show_vma_header_prefix).
std::optional<MemoryProtection::Mapping> MemoryProtection::ParseLine(const char* line) {
  char* rest = nullptr;
  const uintptr_t begin = strtoull(line, &rest, 16);
  if (*rest != '-') return std::nullopt;
  const uintptr_t end = strtoull(rest + 1, &rest, 16);
  if (strnlen(rest, 4) < 4) return std::nullopt;
  const int protection = (rest[1] == 'r' ? PROT_READ : 0) | (rest[2] == 'w' ? PROT_WRITE : 0) |
                         (rest[3] == 'x' ? PROT_EXEC : 0);
  return Mapping{begin, end, protection};
}

Result<MemoryProtection> MemoryProtection::Snapshot() {
  const Result<std::string> maps = ReadFile("/proc/self/maps");
  if (!maps) return maps.error();
  const std::string& text = maps.value();
  MemoryProtection snapshot;
  for (size_t line = 0; line < text.size();) {
    if (const std::optional<Mapping> mapping = ParseLine(text.c_str() + line)) {
      snapshot.mappings_.push_back(*mapping);
    }
    const size_t newline = text.find('\n', line);
    line = newline == std::string::npos ? text.size() : newline + 1;
  }
  return snapshot;
}

int MemoryProtection::Of(uintptr_t address) const {
  const auto above = std::ranges::upper_bound(mappings_, address, {}, &Mapping::begin);
  if (above == mappings_.begin()) return PROT_NONE;
  const Mapping& mapping = *std::prev(above);
  return address < mapping.end ? mapping.protection : PROT_NONE;
}

Status MemoryProtection::Store(uintptr_t slot, uintptr_t value) const {
  JPROF_CHECK(slot % sizeof(uintptr_t) == 0);
  const int protection = Of(slot);
  const auto page_size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  auto* page = reinterpret_cast<void*>(slot & ~(page_size - 1));
  const bool writable = (protection & PROT_WRITE) != 0;
  if (!writable && mprotect(page, page_size, protection | PROT_WRITE) != 0) {
    return Error::FromErrno("mprotect", Hexadecimal(slot));
  }
  // release: callers through the slot see the memory that the writer prepared.
  std::atomic_ref<uintptr_t>(*reinterpret_cast<uintptr_t*>(slot))
      .store(value, std::memory_order_release);
  if (!writable && mprotect(page, page_size, protection) != 0) {
    return Error::FromErrno("mprotect", Hexadecimal(slot));
  }
  return {};
}

}  // namespace jprof
