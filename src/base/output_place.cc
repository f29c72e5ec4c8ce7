#include "base/output_place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {
namespace {

constexpr int kMostLinks = 40;  // MAXSYMLINKS in linux v6.1 include/linux/namei.h
constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

bool IsTrusted(uid_t user) { return user == 0 || user == geteuid(); }

// True if users other than this one and root may write to the folder. If the folder has an access
// control list, the group bits are the most that the list permits.
bool OthersMayWrite(const struct stat& folder) {
  if (!IsTrusted(folder.st_uid) || (folder.st_mode & S_IWOTH) != 0) return true;
  return (folder.st_mode & S_IWGRP) != 0 && folder.st_gid != 0 && folder.st_gid != getegid();
}

// If the entry is a folder, opens it as a folder, which also triggers automounts. Opens any other
// entry without following a link.
ScopedFd OpenEntry(int folder, const std::string& name) {
  ScopedFd entry(openat(folder, name.c_str(), kFolderFlags));
  if (entry.valid() || errno != ENOTDIR) return entry;
  return ScopedFd(openat(folder, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

Error NamesAFolder(const std::string& path) {
  return Error("'" + path + "' is a folder: add a file name");
}

struct NamedDescriptor {
  std::string_view path;
  std::string_view number;
};

constexpr auto kNamedDescriptors = std::to_array<NamedDescriptor>({
    {"/dev/stdout", "1"},
    {"/dev/stderr", "2"},
});

// Returns the number of the descriptor of this process that the path stands for; nullopt for any
// other path. Such a descriptor is duplicated to get the output. Opening the path instead would
// truncate a file to which the shell has redirected the output, and would fail for a socket.
std::optional<std::string> OwnDescriptor(std::string_view path) {
  for (const NamedDescriptor& each : kNamedDescriptors) {
    if (path == each.path) return std::string(each.number);
  }
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view number = path.substr(folder.size());
    const bool digits = number.find_first_not_of("0123456789") == std::string_view::npos;
    if (digits && !number.empty()) return std::string(number);
  }
  return std::nullopt;
}

Result<ScopedFd> Duplicate(const std::string& number, const std::string& path) {
  int own = -1;
  std::from_chars(number.data(), number.data() + number.size(), own);
  ScopedFd fd(fcntl(own, F_DUPFD_CLOEXEC, 0));
  if (!fd.valid()) return Error::FromErrno("dup", path);
  if ((fcntl(own, F_GETFL) & O_ACCMODE) == O_RDONLY) {
    return Error("'" + path + "' is not open for writing");
  }
  return fd;
}

std::optional<FileIdentity> IdentityOf(const OutputPlace& place) {
  struct stat status;
  if (fstatat(place.folder(), place.name().c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  return FileIdentity{status.st_dev, status.st_ino};
}

Status Remove(const OutputPlace& place) {
  if (unlinkat(place.folder(), place.name().c_str(), 0) == 0 || errno == ENOENT) return {};
  return Error::FromErrno("unlink", place.path());
}

}  // namespace

// PathWalk resolves a path to an OutputPlace, by the rules in output_place.h. An object is used
// once, by one thread.
class PathWalk {
 public:
  explicit PathWalk(const std::string& path) : path_(path) {}

  Result<OutputPlace> Run();

 private:
  enum class Step { kContinue, kArrived };

  Status EnterStart(const std::string& path);
  void Push(const std::string& path);
  Result<Step> Take(const std::string& name);
  Status FollowLink(const std::string& name, int link, const struct stat& info);
  Status CheckLast(const struct stat& info) const;
  Error NotThere(const std::string& name) const;
  std::string Here(const std::string& name) const { return at_ + name; }

  const std::string& path_;
  std::vector<std::string> rest_;  // the remaining names; the next one is at the end
  ScopedFd folder_;
  struct stat folder_info_ {};
  std::string at_;         // path of folder_, ending with a slash, or empty
  std::string last_link_;  // the symbolic link at the end of the path; empty if there is none
  OutputPlace::Kind kind_ = OutputPlace::Kind::kFile;
  int links_ = 0;
};

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

// Moves to the folder where `path` starts. An absolute path starts at the root. A relative path
// starts at the current folder of the walk, which is at first the working folder of the process.
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

// Fails unless the last entry is a file or a stream. Also refuses another user's FIFO in a folder
// that others may write to, because that user could have planted the FIFO to read the output.
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

Result<OutputPlace> OutputPlace::Resolve(const std::string& path) {
  if (std::optional<std::string> own = OwnDescriptor(path)) {
    return OutputPlace(Kind::kStream, ScopedFd(), std::move(*own), path);
  }
  return PathWalk(path).Run();
}

Result<OutputPlace> OutputPlace::ResolveFile(const std::string& path) {
  Result<OutputPlace> place = Resolve(path);
  if (place && place.value().kind() == Kind::kStream) {
    return Error("'" + path + "' is a device or FIFO: name a regular file");
  }
  return place;
}

void OutputPlace::Rename(const std::string& name) {
  JPROF_CHECK(kind_ == Kind::kFile);
  path_ = path_.substr(0, path_.rfind('/') + 1) + name;
  name_ = name;
}

Result<ScopedFd> OutputPlace::OpenStream(Unread unread) const {
  JPROF_CHECK(kind_ == Kind::kStream);
  if (!folder_.valid()) return Duplicate(name_, path_);
  const int flags = O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
  const int nonblock = unread == Unread::kRefuse ? O_NONBLOCK : 0;
  ScopedFd fd(openat(folder_.get(), name_.c_str(), flags | nonblock));
  if (!fd.valid() && errno == ENXIO) return Error("no process reads the FIFO '" + path_ + "'");
  if (!fd.valid()) return Error::FromErrno("open", path_);
  struct stat info;
  const bool is_stream = fstat(fd.get(), &info) == 0 && !S_ISREG(info.st_mode);
  if (!is_stream) return Error("'" + path_ + "' was exchanged while it was opened");
  return fd;
}

Result<ScopedFd> OutputPlace::OpenFile(int flags) const {
  JPROF_CHECK(kind_ == Kind::kFile);
  flags |= O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  ScopedFd fd(openat(folder_.get(), name_.c_str(), flags, 0644));
  if (!fd.valid()) return Error::FromErrno("open", path_);
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return Error::FromErrno("fstat", path_);
  if (!S_ISREG(info.st_mode) || (is_shared_ && info.st_nlink != 1)) {
    return Error("'" + path_ +
                 "' is another name of a file, in a place where others can make one: remove it or "
                 "choose another");
  }
  return fd;
}

std::optional<FileIdentity> IdentityOf(const std::string& path) {
  const Result<OutputPlace> place = OutputPlace::ResolveFile(path);
  return place ? IdentityOf(place.value()) : std::nullopt;
}

Status RemoveOutput(const std::string& path) {
  const Result<OutputPlace> place = OutputPlace::ResolveFile(path);
  return place ? Remove(place.value()) : place.error();
}

Status RemoveOutput(const std::string& path, const FileIdentity& identity) {
  const Result<OutputPlace> place = OutputPlace::ResolveFile(path);
  if (!place || IdentityOf(place.value()) != identity) return {};
  return Remove(place.value());
}

bool RenameNoReplace(int folder, const std::string& from, const std::string& to) {
  constexpr unsigned kNoReplace = 1;  // linux v6.1 include/uapi/linux/fs.h, RENAME_NOREPLACE
  if (syscall(SYS_renameat2, folder, from.c_str(), folder, to.c_str(), kNoReplace) == 0) {
    return true;
  }
  if (errno != EINVAL && errno != ENOSYS) return false;
  // The file system or the kernel does not support the flag: link(2) never replaces a name.
  if (linkat(folder, from.c_str(), folder, to.c_str(), 0) != 0) return false;
  unlinkat(folder, from.c_str(), 0);
  return true;
}

std::string WithSuffix(const std::string& path, const std::string& suffix) {
  constexpr std::string_view kGzip = ".gz";
  const size_t name = path.rfind('/') + 1;
  const size_t end = path.size() - (path.ends_with(kGzip) ? kGzip.size() : 0);
  const size_t dot = path.substr(name, end - name).rfind('.');
  const size_t at = dot == std::string::npos ? end : name + dot;
  return path.substr(0, at) + suffix + path.substr(at);
}

bool IsSameFile(int folder, const std::string& name, int fd) {
  struct stat by_fd;
  struct stat by_name;
  return fstat(fd, &by_fd) == 0 &&
         fstatat(folder, name.c_str(), &by_name, AT_SYMLINK_NOFOLLOW) == 0 &&
         by_fd.st_ino == by_name.st_ino && by_fd.st_dev == by_name.st_dev;
}

}  // namespace jprof
