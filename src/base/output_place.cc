#include "base/output_place.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string_view>

#include "base/path_walk.h"

namespace jprof {
namespace {

struct NamedDescriptor {
  std::string_view path;
  std::string_view number;
};

constexpr auto kNamedDescriptors = std::to_array<NamedDescriptor>({
    {"/dev/stdout", "1"},
    {"/dev/stderr", "2"},
});

// Returns the number of the descriptor of this process that the path stands for. Opening the path
// instead would truncate a file that the shell redirects to, and fails for a socket.
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
