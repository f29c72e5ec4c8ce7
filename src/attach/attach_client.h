// AttachClient: asks a HotSpot JVM to carry out a request, by its dynamic attach mechanism.
//
//   <tmp>/.java_pid<n>     the JVM's socket; made when somebody wants to attach for the first time
//   <tmp>/.attach_pid<n>   with SIGQUIT: the request to make it
// <n> is the pid as the JVM sees itself, <tmp> its /tmp. Without the second file, or in a JVM with
// +DisableAttachMechanism, SIGQUIT prints a thread dump; to a process that does not catch it, it
// would be fatal, so it is never sent there.
//
// jprof's one thread.
#pragma once

#include <optional>
#include <string>

#include "attach/attach_protocol.h"
#include "attach/deadline.h"
#include "attach/failure.h"
#include "attach/target_folder.h"
#include "attach/target_process.h"

namespace jprof {

class AttachClient {
 public:
  // REQUIRES: both outlive the client. `temp` is the target's /tmp.
  AttachClient(TargetProcess& target, const TargetFolder& temp) : target_(target), temp_(temp) {}

  // Fails with kNoAttach, kNoAnswer at the deadline, kExited, kPermission; kUsage for a request
  // that is too long for this JVM.
  Outcome<AttachReply> Execute(const AttachRequest& request, const Deadline& deadline);

 private:
  Outcome<AttachReply> Exchange(const AttachRequest& request, AttachVersion version,
                                const Deadline& deadline);
  Outcome<bool> SpeaksVersion2(const Deadline& deadline);

  Outcome<ScopedFd> Connect(const Deadline& deadline);
  // Nothing: nobody listens.
  Outcome<std::optional<ScopedFd>> TryConnect();
  // That the socket is the target's own.
  Outcome<void> CheckListener(int socket, const std::string& name) const;
  Outcome<ScopedFd> StartListener(const Deadline& deadline);
  Outcome<void> AwaitSignalHandler(const Deadline& deadline);
  Outcome<void> WriteAll(int socket, const std::string& bytes, const Deadline& deadline) const;
  Outcome<std::string> ReadAll(int socket, const Deadline& deadline) const;
  Outcome<void> AwaitReady(int socket, short events, const Deadline& deadline) const;

  Failure NoAnswer(const std::string& what) const;
  Failure TargetExited() const;
  bool IsAttachDisabled() const;

  TargetProcess& target_;
  const TargetFolder& temp_;
};

}  // namespace jprof
