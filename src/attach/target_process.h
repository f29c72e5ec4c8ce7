// TargetProcess: a running HotSpot JVM to attach to, looked at from outside.
//
// Open checks that it is one, without touching it. The object holds on to the process (pidfd): once
// open, a signal or an answer can only be of this process, also when its pid is given to another.
//
// jprof's one thread.
#pragma once

#include <string>
#include <vector>

#include "attach/failure.h"
#include "attach/mapped_files.h"
#include "attach/process_status.h"
#include "base/scoped_fd.h"

namespace jprof {

class TargetProcess {
 public:
  // Fails with kNoProcess, kNotAJvm, kPermission, or kNoAnswer if the process is stopped. A process
  // that has just begun is waited for, a second at most, until it has become a JVM.
  static Outcome<TargetProcess> Open(pid_t pid);

  pid_t pid() const { return pid_; }
  pid_t namespace_pid() const { return status_.namespace_pid; }
  uid_t uid() const { return status_.euid; }
  gid_t gid() const { return status_.egid; }

  // "process 4711".
  std::string Name() const;

  bool Catches(int signal) const { return status_.Catches(signal); }

  // Asks the kernel for the current state.
  Outcome<void> Refresh();

  bool HasExited() const;

  // The same, for a process that has just stopped talking to us: its end takes a moment.
  bool IsExiting() const;

  // Readable once the process has ended; -1 on kernels without (before 5.3).
  int pidfd() const { return pidfd_.get(); }

  Outcome<void> Send(int signal) const;

  // Its files that are mapped at this moment, as it names them.
  Outcome<std::vector<MappedFile>> MappedFiles() const;

  std::string ProcPath(const std::string& name) const;

 private:
  TargetProcess(pid_t pid, ScopedFd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

  Outcome<void> AwaitHotSpot() const;
  Outcome<void> CheckIsHotSpot() const;
  bool HasJustBegun() const;
  bool HasExitedWithin(int millis) const;
  Failure PermissionFailure(const Error& error) const;

  pid_t pid_;
  ScopedFd pidfd_;
  ProcessStatus status_;
};

// The files that a process has mapped, as it names them. Also for a process that is no JVM.
Result<std::vector<MappedFile>> MappedFilesOf(pid_t pid);

}  // namespace jprof
