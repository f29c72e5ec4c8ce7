// OutputClaim: the right to write the file at a path, which one living process has at a time.
//
// Held as a lock (flock) on `.<name>.lock` beside the file, from before the first byte is written
// until the object dies. The file contains the id of the process, for people. The kernel releases
// the lock of a process that dies, however it dies, and keeps it in all containers that share the
// folder, where ids of processes repeat. A lock file without a lock was left by a dead process and
// is replaced.
//
// A claim protects from accidents, not from malice: another user who holds the lock, or puts
// something else in its place, gets the path changed, and who does so for a thousand names gets the
// start refused. Nothing is ever written to a lock file that was there before.
//
// One thread. Children of fork close the lock's descriptor, for they may outlive this process.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/output_place.h"
#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {

class OutputClaim {
 public:
  // Claims `path`, whose file may be replaced. If a living process has it, claims the first one of
  // "a-4711.jfr", "a-4711-2.jfr" and so on that is free and no file, where `pid` is 4711. Fails if
  // `path` fits no regular file, or too many names are claimed. Succeeds without a lock where none
  // can be made: in a folder that cannot be written, whose error the first write tells, and in file
  // systems without locks.
  static Result<OutputClaim> Take(const std::string& path, pid_t pid);

  OutputClaim(OutputClaim&& other) noexcept;
  OutputClaim& operator=(OutputClaim&& other) noexcept;
  ~OutputClaim();

  // The claimed path: as given, or with the suffix.
  const std::string& path() const { return path_; }

  // "", "-4711" or "-4711-2".
  const std::string& suffix() const { return suffix_; }

  // Gives the path up and removes the lock file, for a process that ends without destructors.
  void Release();

  // For people, a line that says why the path has a suffix; empty without one.
  const std::string& notice() const { return notice_; }

 private:
  OutputClaim(OutputPlace place, ScopedFd lock, std::string path);

  // Claims a name beside `path`, which the process `owner` writes; 0: an unknown one.
  static Result<OutputClaim> TakeBeside(const std::string& path, pid_t pid, pid_t owner);
  static void CloseInChild();

  OutputPlace place_;
  ScopedFd lock_;  // invalid: no lock could be made, or moved from
  std::string path_;
  std::string suffix_;
  std::string notice_;
};

// The name of the lock file of a file, in its folder.
std::string LockNameOf(const std::string& name);

// Removes the lock file that a dead process has left for the file at `place`. Leaves the lock file
// of a living process, and what cannot be removed.
void RemoveStaleLock(const OutputPlace& place);

}  // namespace jprof
