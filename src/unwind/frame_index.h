// FrameIndex: the offsets of the frame entries of one loaded object, in a copy of its memory.
//
// Not for handlers; used by any thread. The copy is made with the dynamic linker's lock held, which
// keeps the object loaded; after that neither the object nor the lock is needed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "elf/library_map.h"
#include "unwind/frame_section.h"

namespace jprof {

// Bytes of an object's memory, or of a section of its file.
struct FrameImage {
  std::vector<uint8_t> bytes;
  uint64_t address = 0;  // address of the first byte in the loaded program
};

// The .eh_frame or .debug_frame of an object.
struct FrameIndex {
  FrameImage image;
  uint64_t section = 0;             // offset of the section in the image
  std::vector<uint64_t> functions;  // offsets of the FDEs in the section
};

// Finds the entries by the table in .eh_frame_hdr, as the C++ runtime does; without a table, by
// reading all entries in sequence; without .eh_frame_hdr, by the section headers of the file. An
// error if the object has no .eh_frame.
Result<FrameIndex> IndexEhFrame(const Library& library);

// Finds the entries of .debug_frame in the object's file; no functions if the file has none.
Result<FrameIndex> IndexDebugFrame(const Library& library);

struct FrameIndexes {
  FrameIndex eh_frame;
  FrameIndex debug_frame;
};

// Finds the entries of both sections. An error if the object has no .eh_frame and .debug_frame has
// no functions.
Result<FrameIndexes> IndexFrames(const Library& library);

// Does the work of IndexEhFrame for a copy of the object with .eh_frame_hdr at offset `header`.
// Public for tests.
Result<FrameIndex> IndexByHeader(FrameImage image, uint64_t header);

}  // namespace jprof
