// MemoryProtection: which pages of this process may be written, and a store into one that may not.
//
// Not for handlers; a snapshot belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"

namespace jprof {

class MemoryProtection {
 public:
  // From /proc/self/maps, at this moment.
  static Result<MemoryProtection> Snapshot();

  // PROT_ bits of the page at `address`; PROT_NONE where nothing is mapped.
  int Of(uintptr_t address) const;

  // One atomic store (release). A page that the snapshot says is read-only is made writable for it
  // and gets back exactly what the snapshot says.
  // REQUIRES: `slot` is aligned, and nobody unmaps or protects its page since the snapshot.
  Status Store(uintptr_t slot, uintptr_t value) const;

 private:
  struct Mapping {
    uintptr_t begin;
    uintptr_t end;
    int protection;
  };

  static std::optional<Mapping> ParseLine(const char* line);

  std::vector<Mapping> mappings_;  // ascending
};

}  // namespace jprof
