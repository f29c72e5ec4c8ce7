// libFuzzer target: whatever the bytes of unwind tables are, their compiler and the lookup in a
// library do not read out of bounds, and every table has an answer for every offset. Byte 0 of the input chooses
// the kind of section. The other bytes are the section, or .eh_frame_hdr and the bytes that follow
// it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "sigsafe/native/frame_lookup.h"
#include "unwind/frame_index.h"
#include "unwind/unwind_compiler.h"

namespace {

constexpr uint64_t kAddress = 0x10000;
constexpr uint64_t kCodeSize = 0x4000;

// Indexes the functions that .eh_frame_hdr names. If `choice` is odd, indexes an entry at every
// offset of the section instead, so that damaged entries are included.
jprof::FrameIndex IndexOf(uint8_t choice, jprof::FrameImage image) {
  jprof::FrameIndex index;
  if (choice % 2 == 0) {
    jprof::Result<jprof::FrameIndex> by_header = jprof::IndexByHeader(std::move(image), 0);
    if (by_header.ok()) index = std::move(by_header).value();
    return index;
  }
  for (uint64_t offset = 0; offset < image.bytes.size(); ++offset) {
    index.functions.push_back(offset);
  }
  index.image = std::move(image);
  return index;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const uint8_t choice = data[0];
  jprof::FrameImage image;
  image.bytes.assign(data + 1, data + size);
  image.address = (choice & 4) != 0 ? 0 : kAddress;
  const auto header = reinterpret_cast<uint64_t>(image.bytes.data());
  jprof::UnwindRule rule;
  for (uint64_t pc = header; pc < header + kCodeSize; pc += kCodeSize / 16) {
    static_cast<void>(jprof::FindRuleInLibrary(header, pc, jprof::LoadFaults::kFatal, &rule));
  }
  const jprof::FrameIndex index = IndexOf(choice, std::move(image));
  const jprof::FrameIndex none;
  const bool is_debug_frame = (choice & 2) != 0;
  const auto table =
      jprof::CompileTable(is_debug_frame ? none : index, is_debug_frame ? index : none,
                          (choice & 8) << 8, {kAddress, kAddress + kCodeSize});
  if (!table.ok()) std::abort();
  uint64_t kinds = 0;
  for (uint64_t offset = 0; offset < kCodeSize; offset += 7) {
    kinds |= uint64_t{1} << static_cast<unsigned>(table.value().table->Find(offset).cfa);
  }
  return kinds == 0 ? -1 : 0;
}
