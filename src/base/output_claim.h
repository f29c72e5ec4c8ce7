// OutputClaim: the right to write the file at a path. At most one living process has this right at
// a time.
//
// The claim is a lock (flock) on `.<name>.lock` in the folder of the file, held from before the
// first byte is written until the object is destroyed. The lock file contains the id of the
// process, for people. The kernel releases the lock when the process ends, however it ends. The
// lock also works between containers that share the folder, even if processes in different
// containers have the same id. A lock file that no process has locked was left by a dead process
// and is replaced.
//
// A claim protects from accidents, not from malice: another user can lock the lock file, or put
// another entry in its place. This forces a suffix on the path. If it is done for a thousand names,
// no recording can be started. Nothing is ever written to a lock file that existed before.
//
// Not synchronized. Children of fork close the lock's descriptor, because they might outlive this
// process.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/output_place.h"
#include "base/result.h"
#include "base/scoped_fd.h"

namespace jprof {

class OutputClaim {
 public:
  // Claims `path`. The caller may then replace an existing file at `path`. If a living process has
  // claimed "a.jfr" already, and `pid` is 4711, claims the first of "a-4711.jfr", "a-4711-2.jfr"
  // and so on that neither is claimed nor exists. If all of these thousand names exist, claims the
  // first one that is not claimed. Fails if `path` cannot be a regular file, or if all names are
  // claimed. Succeeds without a lock if the file system has no locks, or if the folder cannot be
  // written to. If the folder cannot be written to, the first write reports the error.
  static Result<OutputClaim> Take(const std::string& path, pid_t pid);

  OutputClaim(OutputClaim&& other) noexcept;
  OutputClaim& operator=(OutputClaim&& other) noexcept;
  ~OutputClaim();

  // Returns the claimed path: the given one, or the given one with a suffix.
  const std::string& path() const { return path_; }

  // Returns the suffix that path() has: "", "-4711" or "-4711-2".
  const std::string& suffix() const { return suffix_; }

  // Gives up the path and removes the lock file, for a process that ends without destructors.
  void Release();

  // Returns a line for people that explains the suffix of the path; empty without a suffix.
  const std::string& notice() const { return notice_; }

 private:
  OutputClaim(OutputPlace place, ScopedFd lock, std::string path);

  // Claims `path` with a suffix, because the process `owner` (0 if unknown) has claimed `path`.
  static Result<OutputClaim> TakeWithSuffix(const std::string& path, pid_t pid, pid_t owner);
  static void CloseInChild();

  OutputPlace place_;
  ScopedFd lock_;  // invalid if no lock could be made, after Release, or if moved from
  std::string path_;
  std::string suffix_;
  std::string notice_;
};

// Returns the name of the lock file of the file `name`, in the same folder.
std::string LockNameOf(const std::string& name);

// Removes the lock file that a dead process has left for the file at `place`. Does nothing if the
// process lives, or if the lock file cannot be removed.
void RemoveStaleLock(const OutputPlace& place);

}  // namespace jprof
