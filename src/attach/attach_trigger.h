// AttachTrigger: the file .attach_pid<n> that, together with SIGQUIT, asks a JVM for its attach
// socket; one process at a time holds it.
//
// A JVM that gets a second SIGQUIT prints a thread dump into the output of its program. So only the
// holder of the trigger, the process that has locked the file (flock), sends the signal, and it
// sends one. The tools of the JDK lock nothing: an unlocked file belongs to one of them, or was
// left by a process that was killed.
//
// Used on jprof's only thread.
#pragma once

#include <optional>
#include <string>

#include "attach/target_folder.h"
#include "base/scoped_fd.h"

namespace jprof {

class AttachTrigger {
 public:
  // Creates the file, or takes over one that no process has locked. Returns nullopt if another
  // process holds it or has just removed it. Fails with kPermission if another user's file, which
  // the JVM does not accept, has the name. REQUIRES: `folder` outlives the trigger.
  static Outcome<std::optional<AttachTrigger>> Take(const TargetFolder& folder,
                                                    const std::string& name);

  // Removes a file that no process has locked, if there is one.
  static void RemoveAbandoned(const TargetFolder& folder, const std::string& name);

  AttachTrigger(AttachTrigger&&) noexcept = default;
  AttachTrigger& operator=(AttachTrigger&&) = delete;
  ~AttachTrigger();  // removes the file

  // True if another process created the file: it might have sent the signal already.
  bool was_found() const { return was_found_; }

  // Keeps the file in place: the JVM has got the signal and looks for the file when it handles it.
  void Leave() { fd_.Reset(); }

 private:
  AttachTrigger(const TargetFolder& folder, std::string name, ScopedFd fd, bool was_found)
      : folder_(&folder), name_(std::move(name)), fd_(std::move(fd)), was_found_(was_found) {}

  const TargetFolder* folder_;
  std::string name_;
  ScopedFd fd_;  // invalid: left or moved from
  bool was_found_;
};

}  // namespace jprof
