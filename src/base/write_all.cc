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

}  // namespace jprof
