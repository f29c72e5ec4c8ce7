// JfrChunkLayout: finds the positions of a chunk's end, metadata and checkpoints. Part of ReadJfr;
// not thread-safe.
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
  int64_t offset = 0;  // offset in the file
  size_t size = 0;
};

class JfrChunkLayout {
 public:
  JfrChunkLayout(RecordingFile& file, int64_t offset, const JfrChunkHeader& header)
      : file_(file), offset_(offset), header_(header), end_(offset + JfrChunkHeader::kSize) {}

  // Finds the positions. Returns the fault of the chunk, or an empty text. If the chunk has a
  // fault, the other members describe its intact part.
  std::string Find();

  int64_t end() const { return end_; }                                         // offset in the file
  const std::vector<EventPlace>& checkpoints() const { return checkpoints_; }  // oldest first
  Status ReadSchema(JfrSchema& schema) const;

 private:
  struct Head {
    EventPlace place;
    uint64_t type = 0;
    int64_t delta = 0;  // distance from a checkpoint to the previous one, or 0
  };

  bool FollowHeader();
  void Scan();
  // Returns the head of the event at `offset`; its size is 0 if the event is incomplete.
  Head HeadAt(int64_t offset) const;

  RecordingFile& file_;
  const int64_t offset_;
  const JfrChunkHeader& header_;
  int64_t end_;
  EventPlace metadata_;
  std::vector<EventPlace> checkpoints_;
};

}  // namespace jprof::profile
