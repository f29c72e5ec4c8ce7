// CallerLease: whether the jprof that started a recording, and means to fetch it, still lives.
//
// It holds a lock (flock) on a file that it made for this, and the kernel releases the lock with
// its last descriptor, however the process ends. A lock is of the file, whatever names, users,
// processes or networks the two sides see; a process that is stopped or slow still holds it.
//
// Thread-safe.
#pragma once

#include <string>

#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {

class CallerLease {
 public:
  // Of a regular file; no symbolic link. Reads it. A name that only jprof gives (attach/lease.h)
  // is removed at once, so that nothing is left whichever process dies first.
  static Result<CallerLease> Open(const std::string& path);

  // The content of the file: the path under which the recording is kept if nobody fetches it.
  // Empty: its own.
  const std::string& keep_as() const { return keep_as_; }

  // True also where it cannot be told.
  bool IsHeld() const;

 private:
  CallerLease(ScopedFd fd, std::string keep_as)
      : fd_(std::move(fd)), keep_as_(std::move(keep_as)) {}

  ScopedFd fd_;
  std::string keep_as_;
};

}  // namespace jprof
