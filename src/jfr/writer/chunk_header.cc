#include "jfr/writer/chunk_header.h"

namespace jprof {
namespace {

constexpr uint8_t kMagic[] = {'F', 'L', 'R', '\0'};
constexpr uint16_t kMajorVersion = 2;
constexpr uint16_t kMinorVersion = 1;
constexpr uint16_t kCompressedInts = 1;  // flag; readers do not take chunks without it

}  // namespace

void ChunkHeader::EncodeTo(JfrEncoder& out) const {
  out.Bytes(kMagic);
  out.Fixed16(kMajorVersion);
  out.Fixed16(kMinorVersion);
  for (const int64_t value : {size, checkpoint_offset, metadata_offset, start_epoch_ns, duration_ns,
                              start_ticks, ticks_per_second}) {
    out.Fixed64(static_cast<uint64_t>(value));
  }
  out.Byte(static_cast<uint8_t>(state));
  out.Byte(0);
  out.Fixed16(kCompressedInts);
}

}  // namespace jprof
