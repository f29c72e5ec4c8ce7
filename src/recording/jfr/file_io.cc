#include "recording/jfr/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
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

bool Names(int folder, const std::string& name, int fd) {
  struct stat by_fd;
  struct stat by_name;
  return fstat(fd, &by_fd) == 0 &&
         fstatat(folder, name.c_str(), &by_name, AT_SYMLINK_NOFOLLOW) == 0 &&
         by_fd.st_ino == by_name.st_ino && by_fd.st_dev == by_name.st_dev;
}

}  // namespace jprof
