// TargetProcess: a running HotSpot JVM to attach to, seen from outside.
//
// Open verifies that the process is a HotSpot JVM, without interacting with it. The object holds a
// pidfd, so signals and checks concern this process only, even if its pid is reused later.
//
// Used on jprof's only thread.
#pragma once

#include <string>
#include <vector>

#include "attach/failure.h"
#include "attach/proc_texts.h"
#include "base/scoped_fd.h"

namespace jprof {

class TargetProcess {
 public:
  // Opens a process. Fails with kNoProcess, kNotAJvm, kPermission, or with kNoAnswer if the process
  // is stopped. If the process has just started, waits at most a second for it to load its JVM.
  static Outcome<TargetProcess> Open(pid_t pid);

  pid_t pid() const { return pid_; }
  pid_t namespace_pid() const { return status_.namespace_pid; }
  uid_t uid() const { return status_.euid; }
  gid_t gid() const { return status_.egid; }

  // Returns "process 4711".
  std::string Name() const;
  // Returns "process 4711 has ended".
  std::string Ended() const { return Name() + " has ended"; }

  bool Catches(int signal) const { return status_.Catches(signal); }

  // Reads the current status from the kernel.
  Outcome<void> Refresh();

  bool HasExited() const;

  // Waits at most half a second for the process to exit, and returns true if it has exited. A
  // process that is exiting closes its connections a moment earlier, so a closed connection can
  // mean that the process is about to exit.
  bool IsExiting() const;

  // Returns a descriptor that is readable once the process has exited; -1 on kernels without pidfd
  // (before 5.3).
  int pidfd() const { return pidfd_.get(); }

  Outcome<void> Send(int signal) const;

  // Returns the files that the process has mapped now, with their paths as the process sees them.
  Outcome<std::vector<MappedFile>> MappedFiles() const;

  std::string ProcPath(const std::string& name) const;

 private:
  TargetProcess(pid_t pid, ScopedFd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

  Outcome<void> AwaitHotSpot() const;
  Outcome<void> CheckIsHotSpot() const;
  bool HasJustStarted() const;
  bool HasExitedWithin(int millis) const;
  Failure PermissionFailure(const Error& error) const;

  pid_t pid_;
  ScopedFd pidfd_;
  ProcessStatus status_;
};

// Returns the files that the process `pid` has mapped, with their paths as the process sees them.
// The process can be any process, not only a JVM.
Result<std::vector<MappedFile>> MappedFilesOf(pid_t pid);

}  // namespace jprof
