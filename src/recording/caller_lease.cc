#include "recording/caller_lease.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <string_view>

#include "base/agent_contract.h"

namespace jprof {

Result<CallerLease> CallerLease::Open(const std::string& path) {
  ScopedFd fd(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid()) return Error::FromErrno("open", path);
  struct stat info;
  if (fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return Error("lease=" + path + " is not a regular file");
  }
  const std::string_view name = std::string_view{path}.substr(path.rfind('/') + 1);
  if (name.starts_with(kLeasePrefix)) unlink(path.c_str());
  char text[PATH_MAX];
  const ssize_t length = pread(fd.get(), text, sizeof text, 0);
  if (length < 0) return Error::FromErrno("read", path);
  return CallerLease(path, std::move(fd), std::string(text, static_cast<size_t>(length)));
}

bool CallerLease::IsHeld() const {
  if (flock(fd_.get(), LOCK_SH | LOCK_NB) != 0) return true;
  flock(fd_.get(), LOCK_UN);
  return false;
}

}  // namespace jprof
