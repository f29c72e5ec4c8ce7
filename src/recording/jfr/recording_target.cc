#include "recording/jfr/recording_target.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <utility>

namespace jprof {
namespace {

struct FreeDeleter {
  void operator()(char* text) const { std::free(text); }
};

// The path without symbolic links, or the path itself if there is nothing to follow.
Result<std::string> FollowLinks(const std::string& path) {
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return path;
    return Error::FromErrno("lstat", path);
  }
  if (!S_ISLNK(info.st_mode)) return path;
  const std::unique_ptr<char, FreeDeleter> resolved(realpath(path.c_str(), nullptr));
  if (resolved == nullptr) return Error::FromErrno("realpath", path);
  return std::string(resolved.get());
}

}  // namespace

Result<RecordingTarget> RecordingTarget::Resolve(const std::string& path) {
  Result<std::string> followed = FollowLinks(path);
  if (!followed) return followed.error();
  const std::string real = std::move(followed).value();

  const size_t slash = real.rfind('/');
  std::string name = slash == std::string::npos ? real : real.substr(slash + 1);
  std::string folder = slash == std::string::npos ? "." : real.substr(0, slash + 1);
  if (name.empty() || name == "." || name == "..") {
    return Error("The recording path '" + path + "' names a folder: add a file name.");
  }

  ScopedFd folder_fd(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder_fd.valid()) return Error::FromErrno("open", folder);
  struct stat info;
  const bool exists = fstatat(folder_fd.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists && !S_ISREG(info.st_mode)) {
    return Error("The recording path '" + path + "' is not a regular file: choose another name.");
  }
  return RecordingTarget(std::move(folder_fd), std::move(name), path);
}

}  // namespace jprof
