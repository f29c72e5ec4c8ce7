// ReadChunkHeaders: reads the headers of a JFR file without any JFR library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace jprof::test {

// The header of a chunk, big-endian in the file (JDK
// src/hotspot/share/jfr/recorder/repository/jfrChunkWriter.cpp, tag jdk-17+35).
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
  int state = 0;  // 0: complete
};

// Returns the headers of all chunks. An Error names the offset at which the chunks do not fill the
// file exactly.
Result<std::vector<ChunkHeader>> ReadChunkHeaders(const std::string& path);

}  // namespace jprof::test
