#include "attach/target_folder.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "attach/scoped_credentials.h"
#include "attach/target_process.h"
#include "base/hex_text.h"

namespace jprof {
namespace {

constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;

// Opens `path` below `root` and resolves symbolic links as the target does: an absolute link starts
// at the target's root, not at ours.
int OpenInRoot(int root, const std::string& path) {
  open_how how = {};
  how.flags = kFolderFlags;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const auto fd = static_cast<int>(syscall(SYS_openat2, root, path.c_str(), &how, sizeof how));
  if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return fd;
  // Fallback before Linux 5.6: refuses a symbolic link at the end of the path; the folders before
  // it belong to root.
  return openat(root, path.c_str() + 1, kFolderFlags | O_NOFOLLOW);
}

}  // namespace

TargetFolder::TargetFolder(ScopedFd fd, std::string path, uid_t uid, gid_t gid)
    : fd_(std::move(fd)), path_(std::move(path)), uid_(uid), gid_(gid) {}

Outcome<TargetFolder> TargetFolder::Open(const TargetProcess& target, const std::string& path) {
  const std::string root_path = target.ProcPath("root");
  const ScopedFd root(open(root_path.c_str(), kFolderFlags));
  if (!root.valid()) return Failure::FromErrno(FailureKind::kPermission, "open", root_path);
  // Checks whether the target has exited only after the root is open: if the target still exists
  // now, its pid cannot have been reused, so the root is the target's.
  if (target.HasExited()) return Failure(FailureKind::kExited, target.Ended());
  const Outcome<ScopedCredentials> as_target =
      ScopedCredentials::Assume(target.uid(), target.gid());
  if (!as_target) return as_target.error();
  ScopedFd fd(OpenInRoot(root.get(), path));
  if (!fd.valid()) return Failure::FromErrno(FailureKind::kFile, "open", root_path + path);
  return TargetFolder(std::move(fd), path, target.uid(), target.gid());
}

Outcome<TargetFolder> TargetFolder::OpenHere(const std::string& path, uid_t uid, gid_t gid) {
  ScopedFd fd(open(path.c_str(), kFolderFlags));
  if (!fd.valid()) return Failure::FromErrno(FailureKind::kFile, "open", path);
  return TargetFolder(std::move(fd), path, uid, gid);
}

Outcome<ScopedFd> TargetFolder::Create(const std::string& name, mode_t mode) const {
  const Outcome<ScopedCredentials> as_target = ScopedCredentials::Assume(uid_, gid_);
  if (!as_target) return as_target.error();
  ScopedFd fd(
      openat(fd_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!fd.valid()) return Failure::FromErrno(FailureKind::kFile, "open", PathOf(name));
  return fd;
}

Outcome<ScopedFd> TargetFolder::OpenFile(const std::string& name) const {
  Outcome<std::optional<ScopedFd>> found = FindFile(name);
  if (!found) return found.error();
  if (found.value()) return std::move(*found.value());
  errno = ENOENT;
  return Failure::FromErrno(FailureKind::kFile, "open", PathOf(name));
}

Outcome<std::optional<ScopedFd>> TargetFolder::FindFile(const std::string& name) const {
  return Find(name, O_RDONLY | O_NONBLOCK, S_IFREG);
}

Outcome<std::optional<ScopedFd>> TargetFolder::FindSocket(const std::string& name) const {
  return Find(name, O_PATH, S_IFSOCK);
}

Outcome<std::optional<ScopedFd>> TargetFolder::Find(const std::string& name, int flags,
                                                    mode_t type) const {
  const Outcome<ScopedCredentials> as_target = ScopedCredentials::Assume(uid_, gid_);
  if (!as_target) return as_target.error();
  ScopedFd fd(openat(fd_.get(), name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid()) {
    if (errno == ENOENT) return std::optional<ScopedFd>();
    return Failure::FromErrno(FailureKind::kFile, "open", PathOf(name));
  }
  const Outcome<void> checked = CheckIsTargets(fd.get(), name, type);
  if (!checked) return checked.error();
  return std::optional(std::move(fd));
}

Outcome<void> TargetFolder::CheckIsTargets(int fd, const std::string& name, mode_t type) const {
  struct stat info;
  if (fstat(fd, &info) == 0 && (info.st_mode & S_IFMT) == type && info.st_uid == uid_) return {};
  return Failure(FailureKind::kPermission,
                 PathOf(name) + " is not the JVM's: another program put it there; remove it");
}

void TargetFolder::Remove(const std::string& name) const {
  const Outcome<ScopedCredentials> as_target = ScopedCredentials::Assume(uid_, gid_);
  if (!as_target) return;
  unlinkat(fd_.get(), name.c_str(), 0);
}

bool TargetFolder::Holds(const std::string& name, const struct stat& status) const {
  const Outcome<ScopedCredentials> as_target = ScopedCredentials::Assume(uid_, gid_);
  if (!as_target) return false;
  struct stat found;
  return fstatat(fd_.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
         found.st_dev == status.st_dev && found.st_ino == status.st_ino &&
         faccessat(fd_.get(), name.c_str(), R_OK, AT_EACCESS) == 0;
}

bool TargetFolder::Is(const struct stat& status) const {
  struct stat found;
  return fstat(fd_.get(), &found) == 0 && found.st_dev == status.st_dev &&
         found.st_ino == status.st_ino;
}

bool TargetFolder::IsWritable() const {
  const Outcome<ScopedCredentials> as_target = ScopedCredentials::Assume(uid_, gid_);
  if (!as_target) return false;
  return faccessat(fd_.get(), ".", W_OK | X_OK, AT_EACCESS) == 0;
}

bool TargetFolder::IsReadOnly() const {
  struct statvfs info;
  return fstatvfs(fd_.get(), &info) == 0 && (info.f_flag & ST_RDONLY) != 0;
}

bool TargetFolder::MayExecute() const {
  struct statvfs info;
  return fstatvfs(fd_.get(), &info) != 0 || (info.f_flag & ST_NOEXEC) == 0;
}

std::string RandomName(std::string_view prefix) {
  const Result<std::string> digits = RandomHex(8);
  return std::string(prefix) + (digits ? digits.value() : std::to_string(getpid()));
}

}  // namespace jprof
