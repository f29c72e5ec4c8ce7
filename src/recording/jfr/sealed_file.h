// SealedFile: the recording at its target path once the first chunk is in it. Finished chunks are
// appended, which is not atomic: a process killed inside Append leaves part of a chunk behind the
// finished ones. Everything else, a full disk included, leaves whole chunks only. One thread.
#pragma once

#include <cstdint>

#include "base/output_place.h"
#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {

class SealedFile {
 public:
  SealedFile() = default;
  SealedFile(ScopedFd fd, int64_t size) : fd_(std::move(fd)), size_(size) {}

  int64_t size() const { return size_; }

  // Appends the first `chunk_size` bytes of `chunk_fd`. Space is reserved first; what a failure
  // left is cut off again. Fails if the file was removed or replaced meanwhile.
  Status Append(const OutputPlace& target, int chunk_fd, int64_t chunk_size);

 private:
  ScopedFd fd_;
  int64_t size_ = 0;
};

}  // namespace jprof
