// ScopedFd: owns one file descriptor; the destructor closes it.
#pragma once

#include <unistd.h>

#include <utility>

namespace jprof {

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

}  // namespace jprof
