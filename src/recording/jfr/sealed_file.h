// SealedFile: the recording at its target path once the first chunk is in it. Finished chunks are
// appended, which is not atomic: a process killed inside Append leaves part of a chunk behind the
// finished ones. Everything else, a full disk included, leaves whole chunks only. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/output_place.h"
#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {

// What somebody else did to a file of ours.
struct FileChange {
  std::string_view text;   // "was cut"
  int64_t lost_bytes = 0;  // of what we had written
};

class SealedFile {
 public:
  SealedFile() = default;
  SealedFile(ScopedFd fd, int64_t size) : fd_(std::move(fd)), size_(size) {}

  int64_t size() const { return size_; }

  // Nothing: the file at the target is ours and as long as we left it, so that it can be appended
  // to.
  std::optional<FileChange> FindChange(const OutputPlace& target) const;

  // Appends the first `chunk_size` bytes of `chunk_fd`. Space is reserved first; what a failure
  // left is cut off again. REQUIRES: FindChange() has found nothing.
  Status Append(const OutputPlace& target, int chunk_fd, int64_t chunk_size);

 private:
  ScopedFd fd_;
  int64_t size_ = 0;
};

}  // namespace jprof
