// JfrChunkLayout: the positions of a chunk's end, metadata and checkpoints. Part of ReadJfr; one
// thread.
//
// In a finished chunk the header refers to the metadata and the last checkpoint, and each
// checkpoint to the previous one. In an unfinished or truncated chunk, or if the header is wrong,
// all events are scanned up to the first incomplete event.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "jfr/reader/jfr_chunk_header.h"
#include "jfr/reader/jfr_schema.h"
#include "jfr/reader/recording_file.h"

namespace jprof::profile {

struct EventPlace {
  int64_t offset = 0;  // in the file
  size_t size = 0;
};

class JfrChunkLayout {
 public:
  JfrChunkLayout(RecordingFile& file, int64_t offset, const JfrChunkHeader& header)
      : file_(file), offset_(offset), header_(header), end_(offset + JfrChunkHeader::kSize) {}

  // Empty, or the fault of the chunk; the other members then describe its intact part.
  std::string Find();

  int64_t end() const { return end_; }                                         // in the file
  const std::vector<EventPlace>& checkpoints() const { return checkpoints_; }  // oldest first
  Status ReadSchema(JfrSchema& schema) const;

 private:
  struct Head {
    EventPlace place;
    uint64_t type = 0;
    int64_t delta = 0;  // of a checkpoint
  };

  bool FollowHeader();
  void Scan();
  // The event at `offset`; size 0 if it is incomplete.
  Head HeadAt(int64_t offset) const;

  RecordingFile& file_;
  const int64_t offset_;
  const JfrChunkHeader& header_;
  int64_t end_;
  EventPlace metadata_;
  std::vector<EventPlace> checkpoints_;
};

}  // namespace jprof::profile
