// JfrWriter: writes one recording file, chunk by chunk; the entry point of this module. SealedFile:
// the file at the recording's path, to which JfrWriter appends finished chunks.
//
// The recorder's thread calls all functions of JfrWriter, in this order:
//
//   Claim, then for every chunk: [Declare] -> StartChunk -> [keys from pools(), Append]* -> Seal
//
// The destructor drops an unsealed chunk.
//
// Guarantees:
//  1. The file at the path holds only finished chunks: the open chunk is in a side file in the same
//     folder. (Exception: if the process is killed while it appends a chunk, the file ends with a
//     part of that chunk. See SealedFile.)
//  2. Event times are written unchanged: a time after the end of the chunk extends the chunk, and a
//     time before the start of the chunk belongs to an event that began earlier and ended in this
//     chunk.
//  3. Append does not fail and does not allocate. After a write error, status() has the error,
//     events that do not fit are counted (DroppedEvents), and Seal still makes a valid chunk of the
//     other events, with a jdk.DataLoss event, if the disk has room. If a whole chunk is lost, the
//     next sealed chunk begins with a jdk.DataLoss event.
// Not async-signal-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/output_place.h"
#include "base/result.h"
#include "base/scoped_fd.h"
#include "jfr/writer/constant_pools.h"
#include "jfr/writer/event_declarations.h"
#include "jfr/writer/jfr_chunk.h"
#include "jfr/writer/jfr_events.h"
#include "sigsafe/base/check.h"

namespace jprof {

// A change of the file by another program.
struct FileChange {
  std::string_view text;   // such as "was cut"
  int64_t lost_bytes = 0;  // number of our bytes that are lost
};

// SealedFile: the file at the recording's path, which exists from the first sealed chunk on.
//
// Appending a finished chunk is not atomic: a process killed inside Append leaves a part of a chunk
// at the end. After all other failures, including a full disk, the file has only whole chunks. The
// file was once the side file of the first chunk, and stays locked, as that side file was, until
// the object is destroyed.
class SealedFile {
 public:
  SealedFile() = default;
  SealedFile(ScopedFd fd, int64_t size) : fd_(std::move(fd)), size_(size) {}
  SealedFile(SealedFile&&) noexcept = default;
  SealedFile& operator=(SealedFile&& other) noexcept {
    std::swap(fd_, other.fd_);  // the destructor of `other` unlocks the old file
    std::swap(size_, other.size_);
    return *this;
  }
  ~SealedFile();

  int64_t size() const { return size_; }

  // Returns how another program has changed the file; nullopt if it is unchanged, so that chunks
  // can be appended.
  std::optional<FileChange> FindChange(const OutputPlace& target) const;

  // Appends the first `chunk_size` bytes of `chunk_fd`. Reserves space first. After a failure, cuts
  // the file to its previous size. REQUIRES: FindChange() has returned nullopt.
  Status Append(const OutputPlace& target, int chunk_fd, int64_t chunk_size);

 private:
  ScopedFd fd_;
  int64_t size_ = 0;
};

class JfrWriter {
 public:
  // Creates the side file of `path`. Fails if `path` exists and is not a regular file, if the
  // folder of `path` cannot be written, or if this process already records to `path`. The caller
  // must hold an OutputClaim of `path`, because the first Seal replaces a file there.
  static Result<std::unique_ptr<JfrWriter>> Claim(const std::string& path, const ChunkClock& clock);

  // Claims `path` and starts the first chunk, at the clock's base, with all events declared.
  static Result<std::unique_ptr<JfrWriter>> Open(const std::string& path, const ChunkClock& clock);

  // Sets the events that are declared from the next chunk on. If Declare is never called, all
  // events are declared. REQUIRES: !is_open().
  void Declare(EventDeclarations declarations);

  ConstantPools& pools() { return pools_; }
  const ChunkClock& clock() const { return clock_; }
  const std::string& path() const { return target_.path(); }

  // The bytes that this writer has put into the file at the path.
  int64_t sealed_bytes() const { return sealed_.size(); }

  // Appends an event to the open chunk; drops an event that is not declared. `trailing` are the
  // values of the fields appended to the event, each int64_t or std::string_view. REQUIRES:
  // is_open(); if there are `trailing` values, there is one for each declared appended field.
  template <class Event, class... Trailing>
  void Append(const Event& event, const Trailing&... trailing) {
    JPROF_CHECK(is_open());
    chunk_->Append(event, trailing...);
  }

  // Sets the values of appended fields for events that are appended without `trailing` values. The
  // values must live until the next call or the end of the chunk. REQUIRES: is_open().
  void SetTrailing(std::span<const TrailingValue> values) {
    JPROF_CHECK(is_open());
    chunk_->SetTrailing(values);
  }

  // Finishes the open chunk and puts it into the file at the path: the first chunk replaces an
  // existing file, later chunks are appended. If another program has cut, removed, moved or written
  // to the file, the chunk begins a new file: at the path if that name is free, else under another
  // name in the same folder (a-2.jfr). A failure also closes the chunk, and drops its events.
  // REQUIRES: is_open().
  Status Seal(int64_t end_ns);

  // A file that Seal has abandoned because another program changed it. TakeAbandonedFile returns
  // each abandoned file once.
  struct AbandonedFile {
    std::string path;
    FileChange change;
  };
  std::optional<AbandonedFile> TakeAbandonedFile() {
    return std::exchange(abandoned_, std::nullopt);
  }

  // Starts the first or the next chunk of the file. REQUIRES: !is_open().
  Status StartChunk(int64_t start_ns);

  bool is_open() const { return chunk_ != nullptr; }

  // The bytes of the open chunk so far, without its constants. Callers seal a chunk long before it
  // reaches 100 MB, because JMC reads a chunk into one array.
  int64_t chunk_bytes() const { return is_open() ? chunk_->size() : 0; }

  // The number of chunks that this writer has put into the file at the path.
  int64_t sealed_chunks() const { return sealed_chunks_; }

  // Returns the number of dropped events of all chunks. The number for the open chunk is exact only
  // after Seal.
  uint64_t DroppedEvents() const { return dropped_ + (is_open() ? chunk_->dropped() : 0); }

  // The first write error of the open chunk. If no chunk is open: the first write error of the last
  // chunk.
  const Status& status() const { return is_open() ? chunk_->status() : status_; }

 private:
  JfrWriter(OutputPlace target, const ChunkClock& clock)
      : target_(std::move(target)), first_name_(target_.name()), clock_(clock) {}

  Status StartChunkAt(int64_t ticks);
  void StateLoss(int64_t ticks);
  Status MoveIntoPlace(JfrChunk& chunk);
  Status StartNewFile(SideFile& file);

  OutputPlace target_;
  std::string first_name_;  // name of the recording's first file
  const ChunkClock clock_;
  EventDeclarations declarations_ = EventDeclarations::All();
  ConstantPools pools_;
  std::optional<SideFile> claim_;  // side file for the first chunk
  std::unique_ptr<JfrChunk> chunk_;
  SealedFile sealed_;
  int64_t sealed_chunks_ = 0;
  // The next chunk starts here or later. This is after all times of earlier chunks, because JMC
  // drops a chunk that starts at the same time as another chunk.
  int64_t next_start_ticks_ = 0;
  uint64_t dropped_ = 0;  // number of dropped events of closed chunks
  int64_t lost_bytes_ = 0;
  int64_t unstated_bytes_ = 0;  // the part of lost_bytes_ that no sealed chunk has reported yet
  std::optional<AbandonedFile> abandoned_;
  Status status_;
};

}  // namespace jprof
