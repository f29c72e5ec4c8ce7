// JfrChunkLayout: where a chunk ends, and where its metadata and checkpoints stand. Part of
// ReadJfr; one thread.
//
// A finished chunk says so itself: the header names metadata and last checkpoint, and each
// checkpoint the one before. Of an unfinished or cut chunk, and of one whose header lies, every
// event is looked at instead, up to the first that is not whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "profile/jfr/jfr_chunk_header.h"
#include "profile/jfr/jfr_schema.h"
#include "profile/jfr/recording_file.h"

namespace jprof::profile {

struct EventPlace {
  int64_t offset = 0;  // in the file
  size_t size = 0;
};

class JfrChunkLayout {
 public:
  JfrChunkLayout(RecordingFile& file, int64_t offset, const JfrChunkHeader& header)
      : file_(file), offset_(offset), header_(header), end_(offset + JfrChunkHeader::kSize) {}

  // Empty, or what is wrong with the chunk; the rest then describes what of it is whole.
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
  // The event there; size 0 if it is not whole.
  Head HeadAt(int64_t offset) const;

  RecordingFile& file_;
  const int64_t offset_;
  const JfrChunkHeader& header_;
  int64_t end_;
  EventPlace metadata_;
  std::vector<EventPlace> checkpoints_;
};

}  // namespace jprof::profile
