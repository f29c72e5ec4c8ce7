// TargetFolder: a folder of the target's file system, through which jprof and the JVM exchange
// files, whatever the mount, pid and user namespace of the target.
//
// Opened through /proc/<pid>/root and kept open, so that the folder is readable after the target
// has exited. Names below are names of entries of the folder; no operation follows a symbolic link
// or leaves the target's root. All operations run as the target's user, or fail.
//
// jprof's one thread.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>

#include "attach/failure.h"
#include "base/scoped_fd.h"

namespace jprof {

class TargetProcess;

class TargetFolder {
 public:
  // `path`: absolute, as the target names it.
  static Outcome<TargetFolder> Open(const TargetProcess& target, const std::string& path);

  // A folder of our own file system, used as `uid` and `gid`.
  static Outcome<TargetFolder> OpenHere(const std::string& path, uid_t uid, gid_t gid);

  // As the target names it.
  std::string PathOf(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

  // Creates a new file; fails if the name exists.
  Outcome<ScopedFd> Create(const std::string& name, mode_t mode) const;

  // A regular file of the target's user, open for reading.
  Outcome<ScopedFd> OpenFile(const std::string& name) const;

  // As OpenFile; nullopt: no such entry.
  Outcome<std::optional<ScopedFd>> FindFile(const std::string& name) const;

  // A handle (O_PATH) on a socket of the target's user; nullopt: no such entry.
  Outcome<std::optional<ScopedFd>> FindSocket(const std::string& name) const;

  void Remove(const std::string& name) const;

  // Whether `name` is the file that `status` describes, and the target's user may read it.
  bool Holds(const std::string& name, const struct stat& status) const;

  // Whether `status` describes this folder.
  bool Is(const struct stat& status) const;

  bool IsWritable() const;
  bool MayExecute() const;  // not mounted noexec

 private:
  TargetFolder(ScopedFd fd, std::string path, uid_t uid, gid_t gid);

  Outcome<std::optional<ScopedFd>> Find(const std::string& name, int flags, mode_t type) const;
  Outcome<void> CheckIsTargets(int fd, const std::string& name, mode_t type) const;

  ScopedFd fd_;
  std::string path_;
  uid_t uid_;
  gid_t gid_;
};

// "<prefix><16 random hex digits>": a name that nobody can guess.
std::string RandomName(std::string_view prefix);

}  // namespace jprof
