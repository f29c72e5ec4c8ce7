#include "base/output_claim.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "base/scoped_fd.h"

namespace jprof {
namespace {

constexpr int kMostSuffixes = 1000;
// The maximum number of attempts to lock. An attempt fails if another process creates or removes
// the lock file meanwhile.
constexpr int kAttempts = 100;

// The descriptors of the locks, plus 1; 0 is a free entry. Children of fork close these
// descriptors. If all entries are in use, a further lock stays open in a child, and keeps its path
// claimed until the child ends.
std::array<std::atomic<int>, 16> g_locks;

// Replaces one entry `from` of g_locks by `to`. Relaxed order is enough: a child of fork has a copy
// of what the forking thread sees. It can miss only a lock that another thread was just taking.
void Replace(int from, int to) {
  for (std::atomic<int>& each : g_locks) {
    int expected = from;
    if (each.compare_exchange_strong(expected, to, std::memory_order_relaxed)) return;
  }
}

struct LockAttempt {
  ScopedFd lock;               // invalid if there is no lock
  std::optional<pid_t> owner;  // the living process that has the lock; 0 if it is unknown
};

LockAttempt TakenBy(pid_t pid) { return {.lock = {}, .owner = pid}; }

// Locks the file without waiting. On failure, returns false and sets errno, which is EWOULDBLOCK if
// another open file has the lock.
bool Lock(int fd) {
  int failed;
  do {
    failed = flock(fd, LOCK_EX | LOCK_NB);
  } while (failed != 0 && errno == EINTR);
  return failed == 0;
}

pid_t ReadOwner(int fd) {
  char text[16];
  const ssize_t got = pread(fd, text, sizeof text, 0);
  pid_t pid = 0;
  if (got > 0) std::from_chars(text, text + got, pid);
  return pid > 0 ? pid : 0;
}

// Opens the file, for writing if that is allowed: some file systems lock only files that are open
// for writing.
ScopedFd OpenExisting(int folder, const std::string& name) {
  constexpr int kFlags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  ScopedFd fd(openat(folder, name.c_str(), O_RDWR | kFlags));
  if (fd.valid() || (errno != EACCES && errno != EROFS && errno != EPERM)) return fd;
  return ScopedFd(openat(folder, name.c_str(), O_RDONLY | kFlags));
}

// Removes the lock file if no process has locked it. Returns nullopt if the caller can now try to
// create the lock file, because it was removed here, or because another process has removed or
// replaced it. Otherwise returns the owner of the lock or, if the old file cannot be removed
// (another user's file in a folder like /tmp), a lock on the old file.
std::optional<LockAttempt> RemoveIfStale(int folder, const std::string& name) {
  ScopedFd fd = OpenExisting(folder, name);
  if (!fd.valid() && errno == ENOENT) return std::nullopt;
  struct stat info;
  const bool is_file = fd.valid() && fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode);
  if (!is_file) return TakenBy(0);
  if (!Lock(fd.get())) return errno == EWOULDBLOCK ? TakenBy(ReadOwner(fd.get())) : LockAttempt();
  if (!IsSameFile(folder, name, fd.get())) return std::nullopt;
  if (unlinkat(folder, name.c_str(), 0) != 0 && errno != ENOENT) {
    // A file with several hard links is not used as a lock file: it can be any file of any user.
    if (info.st_nlink != 1) return TakenBy(0);
    return LockAttempt{.lock = std::move(fd), .owner = std::nullopt};
  }
  return std::nullopt;
}

// True if a living process has locked the file itself, as the agent locks a recording while it
// appends chunks. The lock file of such a file can be missing: either the lock file was removed, as
// old files in /tmp are, or the process has claimed "a.jfr" and continues its recording in the file
// "a-2.jfr".
bool IsLocked(const OutputPlace& place) {
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  const ScopedFd fd(openat(place.folder(), place.name().c_str(), kFlags));
  return fd.valid() && flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

LockAttempt TryToLock(const OutputPlace& place) {
  const int folder = place.folder();
  const std::string name = LockNameOf(place.name());
  if (IsLocked(place)) return TakenBy(ReadOwner(OpenExisting(folder, name).get()));
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    ScopedFd fd(openat(folder, name.c_str(), kFlags, kOutputMode));
    if (!fd.valid() && errno != EEXIST) return {};
    if (!fd.valid()) {
      std::optional<LockAttempt> answer = RemoveIfStale(folder, name);
      if (answer) return std::move(*answer);
      continue;
    }
    // Between the creation of the file and Lock, another process can take the file for that of a
    // dead process, and lock or remove it.
    if (!Lock(fd.get())) {
      if (errno == EWOULDBLOCK) continue;
      unlinkat(folder, name.c_str(), 0);
      return {};
    }
    if (!IsSameFile(folder, name, fd.get())) continue;
    static_cast<void>(WriteAll(fd.get(), std::to_string(getpid()) + '\n', name));
    return {.lock = std::move(fd), .owner = std::nullopt};
  }
  return TakenBy(0);
}

bool Exists(const OutputPlace& place) {
  return faccessat(place.folder(), place.name().c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

std::string SuffixOf(int number, pid_t pid) {
  const std::string suffix = "-" + std::to_string(pid);
  return number == 1 ? suffix : suffix + "-" + std::to_string(number);
}

std::string NoticeOf(const std::string& path, pid_t owner, const std::string& instead) {
  const std::string writer = owner == 0 ? "another process" : "process " + std::to_string(owner);
  return path + " is being written by " + writer + ": this recording goes to " + instead;
}

}  // namespace

std::string LockNameOf(const std::string& name) { return "." + name + ".lock"; }

void RemoveStaleLock(const OutputPlace& place) {
  static_cast<void>(RemoveIfStale(place.folder(), LockNameOf(place.name())));
}

Result<OutputClaim> OutputClaim::Take(const std::string& path, pid_t pid) {
  Result<OutputPlace> place = OutputPlace::ResolveFile(path);
  if (!place) return place.error();
  LockAttempt attempt = TryToLock(place.value());
  if (attempt.owner) return TakeWithSuffix(path, pid, *attempt.owner);
  return OutputClaim(std::move(place).value(), std::move(attempt.lock), path);
}

// The user has not chosen names with a suffix, so existing files with such names are replaced only
// if none of the names is free.
Result<OutputClaim> OutputClaim::TakeWithSuffix(const std::string& path, pid_t pid, pid_t owner) {
  std::optional<Error> unusable;
  for (int number = 1; number <= 2 * kMostSuffixes; ++number) {
    const bool may_replace = number > kMostSuffixes;
    const std::string suffix = SuffixOf(may_replace ? number - kMostSuffixes : number, pid);
    const std::string candidate = WithSuffix(path, suffix);
    Result<OutputPlace> place = OutputPlace::ResolveFile(candidate);
    if (!place) {
      unusable = place.error();
      continue;
    }
    if (!may_replace && Exists(place.value())) continue;
    LockAttempt attempt = TryToLock(place.value());
    if (attempt.owner) continue;
    OutputClaim claim(std::move(place).value(), std::move(attempt.lock), candidate);
    claim.suffix_ = suffix;
    claim.notice_ = NoticeOf(path, owner, candidate);
    return claim;
  }
  if (unusable) return *unusable;
  return Error("'" + path + "' and " + std::to_string(kMostSuffixes) +
               " names beside it are being written by other processes: choose another name");
}

OutputClaim::OutputClaim(OutputPlace place, ScopedFd lock, std::string path)
    : place_(std::move(place)), lock_(std::move(lock)), path_(std::move(path)) {
  static const int watched = pthread_atfork(nullptr, nullptr, CloseInChild);
  static_cast<void>(watched);
  if (lock_.valid()) Replace(0, lock_.get() + 1);
}

OutputClaim::OutputClaim(OutputClaim&& other) noexcept = default;

OutputClaim& OutputClaim::operator=(OutputClaim&& other) noexcept {
  if (this == &other) return *this;
  Release();
  place_ = std::move(other.place_);
  lock_ = std::move(other.lock_);
  path_ = std::move(other.path_);
  suffix_ = std::move(other.suffix_);
  notice_ = std::move(other.notice_);
  return *this;
}

OutputClaim::~OutputClaim() { Release(); }

// Removes the lock file before the lock is released. A process that opened the file earlier, and
// locks it later, finds with IsSameFile that the file is no longer the lock file.
void OutputClaim::Release() {
  if (!lock_.valid()) return;
  const std::string name = LockNameOf(place_.name());
  if (IsSameFile(place_.folder(), name, lock_.get())) unlinkat(place_.folder(), name.c_str(), 0);
  Replace(lock_.get() + 1, 0);
  lock_.Reset();
}

// Closes the descriptors of the locks in a child of fork. The parent keeps its locks: a lock
// (flock) ends when the last descriptor of the open file is closed. Async-signal-safe.
void OutputClaim::CloseInChild() {
  for (std::atomic<int>& each : g_locks) {
    const int fd = each.exchange(0, std::memory_order_relaxed) - 1;
    if (fd >= 0) close(fd);
  }
}

}  // namespace jprof
