#include "base/write_all.h"

#include <unistd.h>

#include <cerrno>
#include <string>

namespace jprof {

Status WriteAll(int fd, std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return Error::FromErrno("write", std::string(name));
    text.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Status CheckWritten(int fd, std::string_view name) {
  const int duplicate = dup(fd);
  if (duplicate < 0 || close(duplicate) == 0 || errno == EINTR) return {};
  return Error::FromErrno("close", std::string(name));
}

}  // namespace jprof
