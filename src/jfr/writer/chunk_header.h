// ChunkHeader: the first 68 bytes of a chunk. Plain value: any thread.
#pragma once

#include <cstdint>

#include "jfr/writer/jfr_encoder.h"

namespace jprof {

enum class ChunkState : uint8_t { kComplete = 0, kBeingWritten = 1 };

struct ChunkHeader {
  static constexpr int64_t kSize = 68;

  int64_t size = 0;
  int64_t checkpoint_offset = 0;  // offsets count from the start of the chunk
  int64_t metadata_offset = kSize;
  int64_t start_epoch_ns = 0;
  int64_t duration_ns = 0;
  int64_t start_ticks = 0;
  int64_t ticks_per_second = 0;
  ChunkState state = ChunkState::kBeingWritten;

  void EncodeTo(JfrEncoder& out) const;
};

}  // namespace jprof
