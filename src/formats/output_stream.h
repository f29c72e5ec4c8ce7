// OutputStream is buffered output to a file descriptor. Used by one thread.
//
// If writing fails, the stream keeps the error and drops all later output. Finish returns the
// error, so writers need not check for errors earlier.
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
  // `name` is the name of the file in messages. The stream does not own the descriptor.
  OutputStream(int fd, std::string name)
      : fd_(fd), name_(std::move(name)), is_terminal_(isatty(fd) == 1) {}

  virtual ~OutputStream() = default;
  OutputStream(const OutputStream&) = delete;
  OutputStream& operator=(const OutputStream&) = delete;

  // Appends `text`. Control characters are escaped on a terminal. REQUIRES: `text` starts and ends
  // at a boundary of UTF-8 characters.
  void Text(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kFlushAt) Flush();
  }
  void Number(uint64_t number) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    Text({digits, static_cast<size_t>(end - digits)});
  }

  // Returns the first write error so far. Text that is still in the buffer has not been written.
  const Status& status() const { return status_; }

  // Flushes the buffer. Returns the first error. REQUIRES: called once.
  Status Finish();

 protected:
  // Writes `bytes` to the descriptor. A subclass can transform them first, for example compress
  // them.
  virtual Status Deliver(std::string_view bytes);
  // Called once by Finish, if all buffers were written without an error.
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
