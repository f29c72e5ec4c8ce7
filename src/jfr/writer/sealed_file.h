// SealedFile: the recording at its target path, from the first chunk on. Finished chunks are
// appended, which is not atomic: a process killed inside Append leaves a part of a chunk at the
// end. All other failures, including a full disk, leave only whole chunks. The file is locked, as
// its side file was, until the object dies. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/output_place.h"
#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {

// A change of the file by other software.
struct FileChange {
  std::string_view text;   // "was cut"
  int64_t lost_bytes = 0;  // bytes of ours that are gone
};

class SealedFile {
 public:
  SealedFile() = default;
  SealedFile(ScopedFd fd, int64_t size) : fd_(std::move(fd)), size_(size) {}
  SealedFile(SealedFile&&) noexcept = default;
  SealedFile& operator=(SealedFile&& other) noexcept {
    std::swap(fd_, other.fd_);  // the other one's destructor unlocks
    std::swap(size_, other.size_);
    return *this;
  }
  ~SealedFile();

  int64_t size() const { return size_; }

  // nullopt: the file at the target is unchanged, so that chunks can be appended.
  std::optional<FileChange> FindChange(const OutputPlace& target) const;

  // Appends the first `chunk_size` bytes of `chunk_fd`. Space is reserved first; the remains of a
  // failure are cut off. REQUIRES: FindChange() has returned nullopt.
  Status Append(const OutputPlace& target, int chunk_fd, int64_t chunk_size);

 private:
  ScopedFd fd_;
  int64_t size_ = 0;
};

}  // namespace jprof
