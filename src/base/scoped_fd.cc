#include "base/scoped_fd.h"

#include <fcntl.h>
#include <sys/stat.h>
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

Result<ScopedFd> OpenRegularFile(const std::string& path, LastLink link) {
  const int follow = link == LastLink::kRefuse ? O_NOFOLLOW : 0;
  const ScopedFd entry(open(path.c_str(), O_PATH | O_CLOEXEC | follow));
  struct stat info;
  if (!entry.valid() || fstat(entry.get(), &info) != 0) return Error::FromErrno("open", path);
  if (!S_ISREG(info.st_mode)) return Error(path + " is not a regular file");
  const std::string same = "/proc/self/fd/" + std::to_string(entry.get());
  ScopedFd fd(open(same.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return Error::FromErrno("open", path);
  return fd;
}

}  // namespace jprof
