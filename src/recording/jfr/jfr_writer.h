// JfrWriter: writes one recording file, chunk by chunk. The entry point of this module.
//
// One thread (the recorder's) calls everything. Life: Open -> [pools() keys, Append]* -> Seal, then
// StartChunk -> ... -> Seal for every further chunk; the destructor drops a chunk that was not sealed.
//  1. The file at the target path holds only finished chunks, at every moment and whatever happens:
//     the open chunk lives in a side file of the same folder (side_file.h).
//  2. Event times lie within their chunk; times outside are moved to its start or extend its end.
//  3. Append does not allocate (beyond strings longer than the buffer) and does not fail: after a
//     write error, status() says which, further events are counted as dropped, and Seal still makes a
//     valid chunk of the events that fit, with a jdk.DataLoss event, if the disk allows at all.
// Not async-signal-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "recording/jfr/chunk_clock.h"
#include "recording/jfr/constant_pools.h"
#include "recording/jfr/jfr_chunk.h"
#include "recording/jfr/jfr_events.h"

namespace jprof {

class JfrWriter {
 public:
  // Creates the side file with its first chunk, which starts at the clock's base. Fails if `path`
  // exists and is no regular file, its folder is not writable, or another process records to it.
  static Result<std::unique_ptr<JfrWriter>> Open(const std::string& path, const ChunkClock& clock);

  ConstantPools& pools() { return pools_; }
  const ChunkClock& clock() const { return clock_; }

  // REQUIRES: a chunk is open.
  template <class Event>
  void Append(const Event& event) {
    chunk_->Append(event, pools_);
  }

  // Finishes the open chunk and puts it into the target file: the first one replaces what was at the
  // path, later ones are appended. The chunk is gone afterwards, also on failure.
  Status Seal(int64_t end_ns);

  // REQUIRES: no chunk is open. start_ns: not before the end of the chunk before.
  Status StartChunk(int64_t start_ns);

  bool is_open() const { return chunk_ != nullptr; }

  // Bytes of the open chunk so far, without its constants. Rotate well below 100 MB (JMC).
  int64_t chunk_bytes() const { return chunk_ == nullptr ? 0 : chunk_->size(); }

  // Chunks in the target file that this writer has put there.
  int64_t sealed_chunks() const { return sealed_chunks_; }

  // Events lost to write errors, over all chunks.
  uint64_t DroppedEvents() const;

 private:
  JfrWriter(RecordingTarget target, const ChunkClock& clock);

  RecordingTarget target_;
  const ChunkClock clock_;
  ConstantPools pools_;
  std::unique_ptr<JfrChunk> chunk_;
  int64_t next_start_ticks_ = 0;  // startNanos must increase strictly: JMC drops equal ones
  int64_t sealed_chunks_ = 0;
  uint64_t dropped_in_closed_chunks_ = 0;
};

}  // namespace jprof
