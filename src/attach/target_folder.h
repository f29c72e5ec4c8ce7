// TargetFolder: a folder of the target's file system, through which jprof and the JVM exchange
// files. The exchange works whatever mount, pid and user namespaces the target is in.
//
// The folder is opened through /proc/<pid>/root. It stays open, and so can be read after the target
// has exited. Each `name` below is the name of an entry of the folder; no operation follows a
// symbolic link or leaves the target's root. Every access to an entry is made with the rights of
// the target's user, or fails.
//
// Used on jprof's only thread.
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
  // Opens a folder of the target. `path`: an absolute path in the target's file system.
  static Outcome<TargetFolder> Open(const TargetProcess& target, const std::string& path);

  // Opens a folder of our own file system. The entries of the folder are accessed as `uid` and
  // `gid`.
  static Outcome<TargetFolder> OpenHere(const std::string& path, uid_t uid, gid_t gid);

  // Returns the path of the entry `name` in the target's file system.
  std::string PathOf(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

  // Creates a new file; fails if the name exists.
  Outcome<ScopedFd> Create(const std::string& name, mode_t mode) const;

  // Opens a regular file of the target's user for reading.
  Outcome<ScopedFd> OpenFile(const std::string& name) const;

  // Opens a file as OpenFile does. Returns nullopt if the folder has no entry of this name.
  Outcome<std::optional<ScopedFd>> FindFile(const std::string& name) const;

  // Opens a descriptor (O_PATH) for a socket of the target's user. Returns nullopt if the folder
  // has no entry of this name.
  Outcome<std::optional<ScopedFd>> FindSocket(const std::string& name) const;

  void Remove(const std::string& name) const;

  // True if the entry `name` is the file that `status` describes, and the target's user may read
  // this file.
  bool Holds(const std::string& name, const struct stat& status) const;

  // True if `status` describes this folder.
  bool Is(const struct stat& status) const;

  bool IsWritable() const;
  bool IsReadOnly() const;  // true if the folder is mounted read-only
  bool MayExecute() const;  // true unless the folder is mounted noexec

 private:
  TargetFolder(ScopedFd fd, std::string path, uid_t uid, gid_t gid);

  Outcome<std::optional<ScopedFd>> Find(const std::string& name, int flags, mode_t type) const;
  Outcome<void> CheckIsTargets(int fd, const std::string& name, mode_t type) const;

  ScopedFd fd_;
  std::string path_;
  uid_t uid_;
  gid_t gid_;
};

// Returns "<prefix><16 random hex digits>", a name that other programs cannot guess. If the kernel
// gives no random bytes, the digits are replaced by the pid.
std::string RandomName(std::string_view prefix);

}  // namespace jprof
