// RecordingFile: a regular file, read through a window of its bytes.
//
// One thread. Memory: the window, 1 MiB, or the largest requested range that is present. Read with
// pread, not mapped: if another process truncates the file, a read is short instead of a SIGBUS.
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

  // `name`: for messages.
  static Result<RecordingFile> FromDescriptor(ScopedFd fd, std::string name);

  const std::string& name() const { return name_; }

  // Counts what is read up in `bytes`, for a progress line. REQUIRES: `bytes` outlives the file.
  void CountReads(std::atomic<int64_t>* bytes) { read_bytes_ = bytes; }

  // The size at Open; less after a read has found the file shorter.
  int64_t size() const { return size_; }

  // At least `wanted` bytes from `offset`, or all up to the end of the file. Valid until the next
  // call.
  std::span<const uint8_t> At(int64_t offset, size_t wanted);

  // Appends [offset, offset + count) to `out`; less at the end of the file.
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
