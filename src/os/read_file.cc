#include "os/read_file.h"

#include <fcntl.h>

#include <cerrno>

#include "base/scoped_fd.h"

namespace jprof {

Result<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  // Without O_NONBLOCK, the open of a FIFO that another user has put there would block.
  const ScopedFd fd(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid()) return Error::FromErrno("open", path);
  std::string content;
  char buffer[16384];
  for (;;) {
    const ssize_t got = read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::FromErrno("read", path);
    if (got == 0) return content;
    content.append(buffer, static_cast<size_t>(got));
    if (content.size() > max_bytes) {
      return Error("cannot read " + path + ": longer than " + std::to_string(max_bytes) + " bytes");
    }
  }
}

}  // namespace jprof
