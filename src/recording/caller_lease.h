// CallerLease: checks whether the caller of a recording still runs. The caller is the jprof process
// that started the recording and is to fetch it.
//
// The caller holds a lock (flock) on a file that was made for this purpose. The kernel releases the
// lock when the last descriptor is closed, however the process ends. This works across namespaces
// and users, because the lock belongs to the file. A stopped or slow process still holds its lock.
//
// Thread-safe.
#pragma once

#include <string>

#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {

class CallerLease {
 public:
  // Opens and reads the file at `path`, which must be a regular file and not a symbolic link. If
  // jprof chose the name of the file (attach/lease.h), removes the file at once, so that no file
  // remains, whichever process dies first.
  static Result<CallerLease> Open(const std::string& path);

  const std::string& path() const { return path_; }  // the path given to Open

  // Returns the content of the file: the path under which an unfetched recording is kept. An empty
  // text means the recording's own path; kKeepNothing means that the recording is not kept.
  const std::string& keep_as() const { return keep_as_; }

  // True if the jprof still holds the lock, or if this cannot be checked.
  bool IsHeld() const;

 private:
  CallerLease(std::string path, ScopedFd fd, std::string keep_as)
      : path_(std::move(path)), fd_(std::move(fd)), keep_as_(std::move(keep_as)) {}

  std::string path_;
  ScopedFd fd_;
  std::string keep_as_;
};

}  // namespace jprof
