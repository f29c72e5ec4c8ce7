// SideFile: the file of the open chunk, beside the target: `.<name>.<pid>.open`.
//
// One thread. Writes through a buffer; a write error is kept (status()), and from then on bytes are
// only counted, so that writers need not look. Until Publish the target is untouched; the
// destructor removes a file that was not published. The file is locked (flock) while it is open: an
// unlocked side file was left by a process that died, and is replaced.
//
// Data is not fsynced: written data survives the death of the process in the page cache, which is
// the failure to protect from. Waiting for the disk would stall rotation for seconds on loaded
// machines, to protect profiling data against power loss.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/output_place.h"
#include "base/result.h"
#include "base/scoped_fd.h"
#include "jfr/writer/jfr_encoder.h"

namespace jprof {

class SideFile {
 public:
  // REQUIRES: `target` outlives the file. Permissions are those of any created file (0666 &
  // ~umask).
  static Result<SideFile> Create(const OutputPlace& target);

  SideFile(SideFile&&) noexcept = default;
  SideFile& operator=(SideFile&&) = delete;
  ~SideFile();

  // Bytes appended here reach the file with the next Flush.
  JfrEncoder& buffer() { return buffer_; }

  void FlushIfFull() {
    if (buffer_.size() >= kFlushAt) Flush();
  }
  void Flush();

  // The bytes appended so far, including bytes not written because of an error.
  int64_t size() const { return flushed_ + static_cast<int64_t>(buffer_.size()); }

  // The offset up to which the bytes are in the file.
  int64_t stored() const { return stored_; }

  const Status& status() const { return status_; }

  // After an error: clears the error and drops the bytes from `offset` on. The next bytes overwrite
  // those of the file, which needs no new space on most file systems. REQUIRES: offset <= stored().
  void RewindTo(int64_t offset);

  // Replaces bytes in the file. REQUIRES: Flush was called.
  void Patch(int64_t offset, std::span<const uint8_t> bytes);

  // Reads bytes back; fewer than asked for at the end. REQUIRES: Flush was called.
  size_t ReadAt(int64_t offset, std::span<uint8_t> to) const;

  // Flushes, replaces the start of the file by `head` and cuts the file at its size.
  Status Finish(std::span<const uint8_t> head);

  // Renames the file over the target, atomically, and returns its descriptor. REQUIRES: Finish
  // succeeded.
  Result<ScopedFd> Publish();

  // As above, under another name beside the target; nullopt if the name is taken.
  Result<std::optional<ScopedFd>> PublishAs(const std::string& name);

  int fd() const { return fd_.get(); }

 private:
  static constexpr size_t kFlushAt = 64 * 1024;
  static constexpr size_t kBufferSize = kFlushAt + 4 * 1024;  // samples never make it grow

  SideFile(const OutputPlace& target, std::string name, ScopedFd fd);

  const OutputPlace* target_;
  std::string name_;
  ScopedFd fd_;  // invalid: published or moved from
  JfrEncoder buffer_{kBufferSize};
  int64_t flushed_ = 0;
  int64_t stored_ = 0;
  Status status_;
};

// Removes the side files that processes of this user left beside `target` when they died. Leaves
// those that are locked, and those for which the file system cannot tell.
void RemoveStaleSideFiles(const OutputPlace& target);

}  // namespace jprof
