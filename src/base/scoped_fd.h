// ScopedFd: owns one file descriptor; the destructor closes it.
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace jprof {

// WriteAll: writes a whole text to a descriptor, despite signals and short writes.
// Thread-safe.

// `name`: of the file, for the error.
Status WriteAll(int fd, std::string_view text, std::string_view name);

// Network file systems report a full disk or quota only when a descriptor is closed: closes another
// descriptor of `fd`, to know.
Status CheckWritten(int fd, std::string_view name);

class ScopedFd {
 public:
  ScopedFd() = default;
  explicit ScopedFd(int fd) : fd_(fd) {}
  ScopedFd(ScopedFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ScopedFd& operator=(ScopedFd&& other) noexcept {
    if (this != &other) {
      Reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~ScopedFd() { Reset(); }

  bool valid() const { return fd_ >= 0; }
  int get() const { return fd_; }

  // Passes ownership to the caller.
  int Release() { return std::exchange(fd_, -1); }

  void Reset() {
    if (fd_ >= 0) {
      close(fd_);  // Linux closes the descriptor even when it reports EINTR: never retried.
      fd_ = -1;
    }
  }

 private:
  int fd_ = -1;
};

// OpenRegularFile: opens a file that others may have named or put in its place. Thread-safe: no
// state.
enum class LastLink { kFollow, kRefuse };

// For reading. Opening a device may have side effects, and opening a FIFO may wait for ever: of the
// entry nothing is opened before it is known to be a regular file.
Result<ScopedFd> OpenRegularFile(const std::string& path, LastLink link);

}  // namespace jprof
