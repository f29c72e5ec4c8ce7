// SideFile: the file of the open chunk, `.<name>.<pid>.open` in the folder of the target.
// RemoveStaleSideFiles: removes the side files of processes that have died.
//
// Not thread-safe. Writes go through a buffer. After a write error, status() returns the error, and
// further bytes are counted but not written. So writers need not check each write. The target is
// untouched until Publish; the destructor removes a side file that was not published. A side file
// is locked (flock) while it is open. So a side file without a lock was left by a process that
// died; Create replaces it.
//
// Data is not fsynced. The data has to survive the death of the process, and for that the page
// cache is enough. fsync would also protect the data against power loss, but could delay the end of
// a chunk by seconds on a loaded machine.
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
  // Creates and locks the side file of `target`, with the usual permissions of a new file (0666 &
  // ~umask). Replaces a side file that a dead process has left. REQUIRES: `target` outlives the
  // file.
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

  // The number of bytes appended so far, including bytes that were not written because of an error.
  int64_t size() const { return flushed_ + static_cast<int64_t>(buffer_.size()); }

  // The number of bytes that are in the file.
  int64_t stored() const { return stored_; }

  const Status& status() const { return status_; }

  // Clears an error and drops the bytes from `offset` on. The bytes that are appended next
  // overwrite the dropped bytes in the file, so on most file systems they need no new space.
  // REQUIRES: offset <= stored().
  void RewindTo(int64_t offset);

  // Replaces bytes in the file. REQUIRES: Flush was called.
  void Patch(int64_t offset, std::span<const uint8_t> bytes);

  // Reads bytes back and returns their number, which is less than `to.size()` at the end of the
  // file. REQUIRES: Flush was called.
  size_t ReadAt(int64_t offset, std::span<uint8_t> to) const;

  // Flushes, overwrites the start of the file with `head`, and truncates the file to size().
  Status Finish(std::span<const uint8_t> head);

  // Renames the file over the target, atomically, and returns its descriptor. REQUIRES: Finish
  // succeeded.
  Result<ScopedFd> Publish();

  // Renames the file to `name` in the folder of the target and returns its descriptor; nullopt if
  // the name is taken. REQUIRES: Finish succeeded.
  Result<std::optional<ScopedFd>> PublishAs(const std::string& name);

  int fd() const { return fd_.get(); }

 private:
  static constexpr size_t kFlushAt = 64 * 1024;
  // Room for the event that exceeds kFlushAt.
  static constexpr size_t kBufferSize = kFlushAt + 4 * 1024;

  SideFile(const OutputPlace& target, std::string name, ScopedFd fd);

  const OutputPlace* target_;
  std::string name_;
  ScopedFd fd_;  // invalid after a publication or a move
  JfrEncoder buffer_{kBufferSize};
  int64_t flushed_ = 0;
  int64_t stored_ = 0;
  Status status_;
};

// Removes the side files of `target` that dead processes of this user have left. Keeps files that
// are locked, or whose lock the file system cannot check.
void RemoveStaleSideFiles(const OutputPlace& target);

}  // namespace jprof
