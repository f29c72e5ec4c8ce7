// ReadChunkHeaders: reads the headers of all chunks of a JFR file, without any JFR library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace jprof::test {

// The fields of a chunk's header, which are big-endian in the file (JDK
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
  int state = 0;  // 0 if the chunk is complete
};

// Returns the headers of all chunks. If the chunks do not fill the file exactly, returns an Error
// with the offset of the first mismatch.
Result<std::vector<ChunkHeader>> ReadChunkHeaders(const std::string& path);

}  // namespace jprof::test
