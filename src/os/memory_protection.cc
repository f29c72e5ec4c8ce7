#include "os/memory_protection.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

#include "os/read_file.h"

namespace jprof {

// Parses a line such as "begin-end rwxp …" (Linux fs/proc/task_mmu.c, show_vma_header_prefix).
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

}  // namespace jprof
