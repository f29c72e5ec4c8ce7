#include "cli/launch/side_file_state.h"

#include <fcntl.h>
#include <sys/file.h>

#include "base/scoped_fd.h"

namespace jprof {

std::string SideFileName(const std::string& recording, pid_t pid) {
  return "." + recording + "." + std::to_string(pid) + ".open";
}

SideFileState StateOfSideFile(int folder, const std::string& name) {
  const ScopedFd fd(openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd.valid()) return SideFileState::kNone;
  return flock(fd.get(), LOCK_SH | LOCK_NB) == 0 ? SideFileState::kLeftOver
                                                 : SideFileState::kLocked;
}

}  // namespace jprof
