// FrameIndex: where the frame entries of one loaded object are, in a copy of its memory.
//
// Not for handlers, one thread. The copy is taken while the object is sure to stay loaded, under
// the dynamic linker's lock, so that all further work needs neither the object nor the lock.
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
  uint64_t address = 0;  // of the first byte where the program runs
};

// The .eh_frame of a loaded object. Offsets of the entries for functions in their section.
struct FrameIndex {
  FrameImage image;
  uint64_t section = 0;  // offset of the section in the image
  std::vector<uint64_t> functions;
};

// From .eh_frame_hdr, which the C++ runtime itself goes by; entry by entry where that has no table,
// and from the section headers of the file where there is none at all.
Result<FrameIndex> IndexEhFrame(const Library& library);

// From the file's .debug_frame; no functions if it has none.
Result<FrameIndex> IndexDebugFrame(const Library& library);

struct FrameIndexes {
  FrameIndex eh_frame;
  FrameIndex debug_frame;
};

// Both; an error if neither is to be had.
Result<FrameIndexes> IndexFrames(const Library& library);

// As IndexEhFrame for a copy: `header` is the offset of .eh_frame_hdr. Open to tests.
Result<FrameIndex> IndexByHeader(FrameImage image, uint64_t header);

}  // namespace jprof
