#include "jfr/writer/file_io.h"

#include <unistd.h>

#include <cerrno>

namespace jprof {

size_t WriteFully(int fd, std::span<const uint8_t> bytes, int64_t offset) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written =
        pwrite(fd, bytes.data() + done, bytes.size() - done, offset + static_cast<int64_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<size_t>(written);
  }
  return done;
}

size_t ReadFully(int fd, std::span<uint8_t> to, int64_t offset) {
  size_t done = 0;
  while (done < to.size()) {
    const ssize_t got =
        pread(fd, to.data() + done, to.size() - done, offset + static_cast<int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

}  // namespace jprof
