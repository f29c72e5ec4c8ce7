#include "base/path_walk.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <utility>

namespace jprof {
namespace {

constexpr int kMostLinks = 40;  // MAXSYMLINKS in linux v6.1 include/linux/namei.h
constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

bool IsTrusted(uid_t user) { return user == 0 || user == geteuid(); }

// True if users other than this one and root may write to the folder. An access control list shows
// in the group bits.
bool OthersMayWrite(const struct stat& folder) {
  if (!IsTrusted(folder.st_uid) || (folder.st_mode & S_IWOTH) != 0) return true;
  return (folder.st_mode & S_IWGRP) != 0 && folder.st_gid != 0 && folder.st_gid != getegid();
}

// Opens the entry as a folder, which also triggers automounts; opens any other entry without
// following a link.
ScopedFd OpenEntry(int folder, const std::string& name) {
  ScopedFd entry(openat(folder, name.c_str(), kFolderFlags));
  if (entry.valid() || errno != ENOTDIR) return entry;
  return ScopedFd(openat(folder, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

Error NamesAFolder(const std::string& path) {
  return Error("'" + path + "' is a folder: add a file name");
}

}  // namespace

Result<OutputPlace> PathWalk::Run() {
  if (path_.empty()) return Error("the path is empty: name a file");
  if (path_.back() == '/') return NamesAFolder(path_);
  if (Status entered = EnterStart(path_); !entered) return entered.error();
  Push(path_);
  for (;;) {
    if (rest_.empty()) return NamesAFolder(path_);
    const std::string name = std::move(rest_.back());
    rest_.pop_back();
    const Result<Step> step = Take(name);
    if (!step) return step.error();
    if (step.value() == Step::kContinue) continue;
    OutputPlace place(kind_, std::move(folder_), name, path_);
    place.is_shared_ = OthersMayWrite(folder_info_);
    return place;
  }
}

// Moves to the folder where `path` starts: the root, or for a relative path the current folder of
// the walk, which is at first the working folder of the process.
Status PathWalk::EnterStart(const std::string& path) {
  const bool absolute = path.front() == '/';
  if (!absolute && folder_.valid()) return {};
  at_ = absolute ? "/" : "";
  folder_ = ScopedFd(open(absolute ? "/" : ".", kFolderFlags));
  if (folder_.valid() && fstat(folder_.get(), &folder_info_) == 0) return {};
  return Error::FromErrno("open", absolute ? "/" : ".");
}

void PathWalk::Push(const std::string& path) {
  for (size_t end = path.size(); end > 0;) {
    const size_t slash = path.rfind('/', end - 1);
    const size_t begin = slash == std::string::npos ? 0 : slash + 1;
    const std::string name = path.substr(begin, end - begin);
    if (!name.empty() && name != ".") rest_.push_back(name);
    end = slash == std::string::npos ? 0 : slash;
  }
}

Result<PathWalk::Step> PathWalk::Take(const std::string& name) {
  ScopedFd entry = OpenEntry(folder_.get(), name);
  if (!entry.valid()) {
    const bool may_be_made = errno == ENOENT && rest_.empty() && last_link_.empty();
    if (may_be_made) return Step::kArrived;
    return NotThere(name);
  }
  struct stat info;
  if (fstat(entry.get(), &info) != 0) return Error::FromErrno("fstat", Here(name));
  if (S_ISLNK(info.st_mode)) {
    const Status followed = FollowLink(name, entry.get(), info);
    if (!followed) return followed.error();
    return Step::kContinue;
  }
  if (S_ISDIR(info.st_mode)) {
    if (rest_.empty()) return NamesAFolder(path_);
    folder_ = std::move(entry);
    folder_info_ = info;
    at_ += name + '/';
    return Step::kContinue;
  }
  if (!rest_.empty()) {
    errno = ENOTDIR;
    return Error::FromErrno("open", Here(name));
  }
  const Status usable = CheckLast(info);
  if (!usable) return usable.error();
  kind_ = S_ISREG(info.st_mode) ? OutputPlace::Kind::kFile : OutputPlace::Kind::kStream;
  return Step::kArrived;
}

Status PathWalk::FollowLink(const std::string& name, int link, const struct stat& info) {
  if (!IsTrusted(info.st_uid) || OthersMayWrite(folder_info_)) {
    return Error("'" + Here(name) +
                 "' is a link in a place where others can put links: it is not followed; remove "
                 "it, or name the file that it leads to");
  }
  if (++links_ > kMostLinks) {
    errno = ELOOP;
    return Error::FromErrno("open", path_);
  }
  char target[PATH_MAX];
  const ssize_t length = readlinkat(link, "", target, sizeof target);
  if (length <= 0 || length == sizeof target) return Error::FromErrno("readlink", Here(name));
  const std::string path(target, static_cast<size_t>(length));
  if (rest_.empty()) {
    last_link_ = Here(name);
    if (path.back() == '/') return NamesAFolder(path_);
  }
  Push(path);
  return EnterStart(path);
}

// Fails unless the last entry is a file or a stream. Also refuses another user's FIFO, because that
// user would read the output.
Status PathWalk::CheckLast(const struct stat& info) const {
  if (S_ISREG(info.st_mode) || S_ISCHR(info.st_mode)) return {};
  if (!S_ISFIFO(info.st_mode)) {
    return Error("'" + path_ + "' is neither a file nor a stream: choose another name");
  }
  if (IsTrusted(info.st_uid) || !OthersMayWrite(folder_info_)) return {};
  return Error("'" + path_ + "' is a FIFO of another user: remove it or choose another name");
}

Error PathWalk::NotThere(const std::string& name) const {
  if (errno == ENOENT && !last_link_.empty()) {
    return Error("'" + last_link_ + "' is a link to '" + Here(name) +
                 "', which does not exist: remove the link or choose another name");
  }
  return Error::FromErrno("open", Here(name));
}

}  // namespace jprof
