// MemoryProtection holds the protection of the pages of this process.
//
// Not for signal handlers. A snapshot belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"

namespace jprof {

class MemoryProtection {
 public:
  // Reads /proc/self/maps.
  static Result<MemoryProtection> Snapshot();

  // Returns the PROT_ bits of the page at `address`; PROT_NONE if nothing is mapped there.
  int Of(uintptr_t address) const;

 private:
  struct Mapping {
    uintptr_t begin;
    uintptr_t end;
    int protection;
  };

  static std::optional<Mapping> ParseLine(const char* line);

  std::vector<Mapping> mappings_;  // in ascending order
};

}  // namespace jprof
