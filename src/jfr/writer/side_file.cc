#include "jfr/writer/side_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "base/scoped_fd.h"
#include "sigsafe/base/check.h"

namespace jprof {
namespace {

// Writes all bytes at `offset`: goes on after signals and partial writes, and stops at the first
// error. Returns the number of bytes written. If not all bytes were written, errno is the error.
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

// Reads bytes at `offset`: goes on after signals and partial reads. Returns the number of bytes
// read, which is less than requested at the end of the file or after an error.
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

constexpr mode_t kMode = 0666;
// The maximum number of attempts to create the side file. An attempt is repeated only if another
// process creates or removes a file of this name at the same time.
constexpr int kCreateAttempts = 10;

// Removes the side file of a process that died. Returns 0 if the file no longer exists; EWOULDBLOCK
// if a live process has locked it; else the error of the attempt to lock or remove it.
int RemoveIfStale(int folder, const std::string& name) {
  const auto error_of = [](bool is_done) { return is_done || errno == ENOENT ? 0 : errno; };
  const ScopedFd fd(openat(folder, name.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid()) return error_of(false);
  if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return errno;
  return error_of(unlinkat(folder, name.c_str(), 0) == 0);
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

// True for ".<target>.<pid>.open" with any pid.
bool IsSideFileOf(const std::string& target, std::string_view name) {
  constexpr std::string_view kEnd = ".open";
  const std::string begin = "." + target + ".";
  if (!name.starts_with(begin) || !name.ends_with(kEnd)) return false;
  if (name.size() <= begin.size() + kEnd.size()) return false;
  name.remove_prefix(begin.size());
  name.remove_suffix(kEnd.size());
  return name.find_first_not_of("0123456789") == std::string_view::npos;
}

// True if `name` is a regular file of our user, or does not exist. False for an entry that another
// user might have placed there.
bool IsOursOrGone(int folder, const std::string& name) {
  struct stat info;
  if (fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT;
  return S_ISREG(info.st_mode) && info.st_uid == geteuid();
}

// Returns the error of a side file that could not be created. The message names the target, because
// the user does not know the side file.
Error NotCreated(const OutputPlace& target) {
  const bool forbidden = errno == EACCES || errno == EPERM;
  const std::string message = Error::FromErrno("create", target.path()).message();
  if (!forbidden) return Error(message);
  return Error(message + " (to the JVM, whose user has the id " + std::to_string(geteuid()) + ")");
}

}  // namespace

Result<SideFile> SideFile::Create(const OutputPlace& target) {
  const std::string name = "." + target.name() + "." + std::to_string(getpid()) + ".open";
  for (int attempt = 0; attempt < kCreateAttempts; ++attempt) {
    ScopedFd fd(openat(target.folder(), name.c_str(),
                       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode));
    if (fd.valid()) {
      // Until the file is locked, another process can take it for stale and remove it. On a file
      // system without locks, no process can lock the file, so none removes it.
      const bool is_taken = flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
      if (!is_taken && IsSameFile(target.folder(), name, fd.get())) {
        return SideFile(target, name, std::move(fd));
      }
      continue;
    }
    if (errno != EEXIST) return NotCreated(target);
    if (!IsOursOrGone(target.folder(), name)) {
      return Error("'" + name + "' is in the way of " + target.path() +
                   " and not ours: remove it or choose another folder");
    }
    const int in_the_way = RemoveIfStale(target.folder(), name);
    if (in_the_way == 0) continue;
    if (in_the_way == EWOULDBLOCK) break;
    errno = in_the_way;
    return Error(Error::FromErrno("remove", name).message() + ": it is in the way of " +
                 target.path() + "; remove it, or choose another folder");
  }
  return Error(target.path() +
               " is being written by another recording: stop that one or choose "
               "another file");
}

void RemoveStaleSideFiles(const OutputPlace& target) {
  const int folder = openat(target.folder(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  const std::unique_ptr<DIR, CloseFolder> entries(fdopendir(folder));
  if (entries == nullptr) {
    close(folder);
    return;
  }
  while (const dirent* const entry = readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (!IsSideFileOf(target.name(), name) || !IsOursOrGone(target.folder(), name)) continue;
    static_cast<void>(RemoveIfStale(target.folder(), name));
  }
}

SideFile::SideFile(const OutputPlace& target, std::string name, ScopedFd fd)
    : target_(&target), name_(std::move(name)), fd_(std::move(fd)) {}

SideFile::~SideFile() {
  if (fd_.valid()) unlinkat(target_->folder(), name_.c_str(), 0);
}

void SideFile::Flush() {
  if (status_.ok()) {
    const size_t written = WriteFully(fd_.get(), buffer_.bytes(), flushed_);
    if (written < buffer_.size()) status_ = Error::FromErrno("write", target_->path());
    stored_ = flushed_ + static_cast<int64_t>(written);
  }
  flushed_ += static_cast<int64_t>(buffer_.size());
  buffer_.Clear();
}

void SideFile::RewindTo(int64_t offset) {
  JPROF_CHECK(offset <= stored_);
  buffer_.Clear();
  flushed_ = offset;
  stored_ = offset;
  status_ = {};
}

void SideFile::Patch(int64_t offset, std::span<const uint8_t> bytes) {
  JPROF_CHECK(buffer_.size() == 0);
  if (!status_.ok()) return;
  if (WriteFully(fd_.get(), bytes, offset) < bytes.size()) {
    status_ = Error::FromErrno("write", target_->path());
  }
}

size_t SideFile::ReadAt(int64_t offset, std::span<uint8_t> to) const {
  JPROF_CHECK(buffer_.size() == 0);
  return ReadFully(fd_.get(), to, offset);
}

Status SideFile::Finish(std::span<const uint8_t> head) {
  Flush();
  if (!status_.ok()) return status_;
  if (WriteFully(fd_.get(), head, 0) < head.size() || ftruncate(fd_.get(), size()) != 0) {
    return Error::FromErrno("write", target_->path());
  }
  return CheckWritten(fd_.get(), target_->path());
}

Result<std::optional<ScopedFd>> SideFile::PublishAs(const std::string& name) {
  if (RenameNoReplace(target_->folder(), name_, name)) return std::optional(std::move(fd_));
  if (errno == EEXIST) return std::optional<ScopedFd>();
  return Error::FromErrno("rename", target_->path());
}

Result<ScopedFd> SideFile::Publish() {
  const int folder = target_->folder();
  if (renameat(folder, name_.c_str(), folder, target_->name().c_str()) != 0) {
    return Error::FromErrno("rename", target_->path());
  }
  return std::move(fd_);
}

}  // namespace jprof
