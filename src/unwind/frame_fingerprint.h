// FrameFingerprint: a 128-bit hash of the input from which the unwind tables of an object are
// compiled.
//
// Objects with equal fingerprints have equal tables: the hash includes the bytes of the frame
// entries, their addresses relative to the object's load bias, and the ranges of the object's code.
// So copies of one file share their tables, and a file with the build id or the path of another
// file but with other code does not get the other file's tables. Objects whose entries have
// absolute addresses share nothing: the entries differ with the load address.
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
