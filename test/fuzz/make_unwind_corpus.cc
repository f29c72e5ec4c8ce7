// Writes the initial inputs of unwind_fuzz to a folder: generated sections, and the beginning of
// the vDSO's section.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>

#include "elf/library_map.h"
#include "sigsafe/native/frame_maker.h"

namespace {

using jprof::test::Bytes;
using jprof::test::FrameMaker;

void Write(const std::string& path, uint8_t choice, const Bytes& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.put(static_cast<char>(choice));
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
}

Bytes Section(bool is_debug_frame) {
  FrameMaker maker(is_debug_frame);
  const Bytes usual = {0x0c, 7, 8, 0x90, 1};
  const uint64_t common = maker.AddCommon(is_debug_frame ? "" : "zR", usual);
  const Bytes prologue = {0x41, 0x0e, 16, 0x86, 2, 0x0a, 0x43, 0x0d, 6, 0x0b, 0x02, 0x20, 0xc6};
  maker.AddFunction(common, 0x10100, 0x100, prologue, !is_debug_frame);
  maker.AddFunction(common, 0x10200, 0x80, {0x0f, 3, 0x76, 0x78, 0x06}, !is_debug_frame);
  maker.AddFunction(common, 0x10300, 0x80, {0x07, 16}, !is_debug_frame);
  return maker.bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 1;
  const std::string folder = argv[1];
  Write(folder + "/eh_frame", 1, Section(false));
  Write(folder + "/debug_frame", 3, Section(true));
  const jprof::LibraryMap loaded = jprof::LibraryMap::Snapshot();
  for (const jprof::Library& library : loaded.libraries()) {
    if (library.path != jprof::kVdsoPath) continue;
    const auto* begin = reinterpret_cast<const uint8_t*>(library.frame_header.begin);
    const uint64_t size = library.frame_segment.end - library.frame_header.begin;
    Write(folder + "/vdso", 0, Bytes(begin, begin + std::min<uint64_t>(size, 4000)));
  }
  return 0;
}
