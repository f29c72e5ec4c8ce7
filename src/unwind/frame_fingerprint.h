// FrameFingerprint: all that the unwind tables of an object are made from, in 128 bits.
//
// Equal fingerprints, equal tables: hashed are the frame entries themselves, where they lie from
// the object's load bias on, and where its code lies. So copies of one file share tables, and a
// file that carries the build id or the path of another but has other code never gets its tables.
// Entries with absolute addresses differ at each place where their object is loaded: no sharing.
//
// Thread-safe; not for handlers.
#pragma once

#include <compare>
#include <cstdint>

#include "elf/library_map.h"
#include "unwind/frame_index.h"

namespace jprof {

struct FrameFingerprint {
  uint64_t first = 0;
  uint64_t second = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): the compiler's own comparison with 0
  friend auto operator<=>(const FrameFingerprint&, const FrameFingerprint&) = default;
};

FrameFingerprint FingerprintOf(const Library& library, const FrameIndexes& frames);

}  // namespace jprof
