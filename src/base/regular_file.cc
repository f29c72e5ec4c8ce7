#include "base/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace jprof {

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
