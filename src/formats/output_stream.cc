#include "formats/output_stream.h"

#include <unistd.h>

#include <cerrno>

namespace jprof {

void OutputStream::Flush() {
  std::string_view left = buffer_;
  while (!left.empty() && status_.ok()) {
    const ssize_t written = write(fd_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      status_ = Error::FromErrno("write", name_);
    } else {
      left.remove_prefix(static_cast<size_t>(written));
    }
  }
  buffer_.clear();
}

Status OutputStream::Finish() {
  Flush();
  return status_;
}

}  // namespace jprof
