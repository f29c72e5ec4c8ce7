// File descriptors: ScopedFd owns a descriptor, WriteAll writes to one, and CheckWritten returns a
// late error of earlier writes. OpenRegularFile opens a file that other users might have put in
// place.
//
// The functions are thread-safe: no state. A ScopedFd is not synchronized.
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace jprof {

// Writes the whole text to the descriptor, despite signals and short writes. `name`: the name of
// the file, for the error.
Status WriteAll(int fd, std::string_view text, std::string_view name);

// Closes a duplicate of `fd` and returns the error that this reports: network file systems report a
// full disk or quota only when a descriptor is closed.
Status CheckWritten(int fd, std::string_view name);

// ScopedFd: owns one file descriptor; the destructor closes it.
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
      close(fd_);  // not retried after EINTR: even then, Linux has closed fd_
      fd_ = -1;
    }
  }

 private:
  int fd_ = -1;
};

// Whether OpenRegularFile follows a symbolic link at the end of the path.
enum class LastLink { kFollow, kRefuse };

// Opens a regular file for reading; fails for any other entry. The entry is checked before it is
// opened, because opening a device can have side effects, and opening a FIFO can wait forever.
Result<ScopedFd> OpenRegularFile(const std::string& path, LastLink link);

}  // namespace jprof
