// ReadChunkHeaders: the headers of a JFR file, read without any JFR library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace jprof::test {

// JDK src/hotspot/share/jfr/recorder/repository/jfrChunkWriter.cpp (tag jdk-17+35), big-endian.
struct ChunkHeader {
  int major = 0;
  int minor = 0;
  int64_t size = 0;
  int64_t checkpoint_offset = 0;
  int64_t metadata_offset = 0;
  int64_t start_nanos = 0;
  int64_t duration_nanos = 0;
  int64_t start_ticks = 0;
  int64_t ticks_per_second = 0;
  int state = 0;  // 0: complete.
};

// The chunks must fill the file exactly: an Error says at which offset they do not.
Result<std::vector<ChunkHeader>> ReadChunkHeaders(const std::string& path);

}  // namespace jprof::test
