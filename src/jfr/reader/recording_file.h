// RecordingFile: reads a regular file through a window of its bytes.
//
// Not thread-safe. The window takes 1 MiB, or more if a larger range is requested and is in the
// file. The file is read with pread and not mapped: if another process truncates it, a read returns
// fewer bytes, and there is no SIGBUS.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof::profile {

class RecordingFile {
 public:
  static Result<RecordingFile> Open(const std::string& path);

  // Takes an open file. `name` is its name in messages.
  static Result<RecordingFile> FromDescriptor(ScopedFd fd, std::string name);

  const std::string& name() const { return name_; }

  // From now on, adds the number of bytes of each read to `bytes`, for a progress line. REQUIRES:
  // `bytes` outlives the file.
  void CountReads(std::atomic<int64_t>* bytes) { read_bytes_ = bytes; }

  // Returns the size that the file had when it was opened, or less if a read has found that the
  // file is now shorter.
  int64_t size() const { return size_; }

  // Returns at least `wanted` bytes from `offset` on, or all bytes up to the end of the file. The
  // bytes are valid until the next call.
  std::span<const uint8_t> At(int64_t offset, size_t wanted);

  // Appends the bytes [offset, offset + count) to `out`; fewer at the end of the file.
  void AppendTo(std::vector<uint8_t>& out, int64_t offset, size_t count);

 private:
  RecordingFile(ScopedFd fd, std::string name, int64_t size)
      : fd_(std::move(fd)), name_(std::move(name)), size_(size) {}
  size_t Read(uint8_t* to, size_t count, int64_t offset);

  ScopedFd fd_;
  std::string name_;
  int64_t size_;
  std::vector<uint8_t> window_;
  int64_t window_at_ = 0;
  size_t window_size_ = 0;
  std::atomic<int64_t>* read_bytes_ = nullptr;
};

}  // namespace jprof::profile
