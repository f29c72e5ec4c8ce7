// JfrChunkHeader: the first 68 bytes of a chunk. The values are as in the file and not checked.
// Plain value, usable on any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "jfr/reader/byte_cursor.h"

namespace jprof::profile {

struct JfrChunkHeader {
  static constexpr int64_t kSize = 68;

  uint16_t major = 0;
  uint16_t minor = 0;
  int64_t size = 0;
  // Offsets count from the start of the chunk.
  int64_t checkpoint_offset = 0;  // of the last checkpoint
  int64_t metadata_offset = 0;
  int64_t start_epoch_ns = 0;
  int64_t duration_ns = 0;
  int64_t start_ticks = 0;
  int64_t ticks_per_second = 0;
  uint8_t state = 0;  // 0: finished
  JfrIntegers integers = JfrIntegers::kCompressed;

  static bool HasMagic(std::span<const uint8_t> bytes);

  // Returns nullopt if there are too few bytes or the magic is missing.
  static std::optional<JfrChunkHeader> Parse(std::span<const uint8_t> bytes);

  // Converts a duration in ticks to nanoseconds. Does not overflow for any values of the file.
  int64_t NanosOfTicks(int64_t ticks) const;
  // Converts a point in time in ticks to nanoseconds since 1970. Does not overflow for any values
  // of the file.
  int64_t EpochNanos(int64_t ticks) const;
};

// Returns an error which explains that the file `name` does not begin with a chunk.
Error NotARecording(const std::string& name);

}  // namespace jprof::profile
