// FrameIndex holds a copy of the frame section (.eh_frame or .debug_frame) of one loaded object,
// and the offsets of the entries in it.
//
// Not for signal handlers; used by any thread. The object's memory is copied while the dynamic
// linker's lock is held, which keeps the object loaded. After the copy neither the object nor the
// lock is needed.
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

// Finds the entries of .eh_frame by the table in .eh_frame_hdr, as the C++ runtime does. If
// .eh_frame_hdr contains no table, reads all entries of .eh_frame in sequence. If the object has no
// .eh_frame_hdr, finds .eh_frame by the section headers of the file. Fails if the object has no
// .eh_frame.
Result<FrameIndex> IndexEhFrame(const Library& library);

// Finds the entries of .debug_frame in the object's file. The index has no functions if the file
// has no .debug_frame, or if the section is compressed or too large. Fails if the file cannot be
// read.
Result<FrameIndex> IndexDebugFrame(const Library& library);

struct FrameIndexes {
  FrameIndex eh_frame;
  FrameIndex debug_frame;
};

// Finds the entries of both .eh_frame and .debug_frame. Fails if .eh_frame cannot be read and
// .debug_frame has no functions.
Result<FrameIndexes> IndexFrames(const Library& library);

// Finds the entries as IndexEhFrame does, in `image`: a copy of an object's memory with
// .eh_frame_hdr at offset `header`. Public for tests.
Result<FrameIndex> IndexByHeader(FrameImage image, uint64_t header);

}  // namespace jprof
