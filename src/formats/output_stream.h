// OutputStream: buffered output to a file descriptor. One thread.
//
// The first write error is kept and later output dropped: writers need not check, Finish returns
// the error.
#pragma once

#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace jprof {

class OutputStream {
 public:
  // `name` is for messages. Does not own the descriptor.
  OutputStream(int fd, std::string name)
      : fd_(fd), name_(std::move(name)), is_terminal_(isatty(fd) == 1) {}

  virtual ~OutputStream() = default;
  OutputStream(const OutputStream&) = delete;
  OutputStream& operator=(const OutputStream&) = delete;

  // Control characters are escaped on a terminal. `text` must hold whole characters.
  void Text(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kFlushAt) Flush();
  }
  void Number(uint64_t number) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    Text({digits, static_cast<size_t>(end - digits)});
  }

  // The first error of what was delivered so far.
  const Status& status() const { return status_; }

  // Flushes the buffer. Returns the first error. REQUIRES: called once.
  Status Finish();

 protected:
  // Where the buffer goes, and what follows the last one.
  virtual Status Deliver(std::string_view bytes);
  virtual Status End() { return {}; }

 private:
  static constexpr size_t kFlushAt = 256 * 1024;
  void Flush();

  const int fd_;
  const std::string name_;
  const bool is_terminal_;
  std::string buffer_;
  Status status_;
};

}  // namespace jprof
