// AttachClient: sends requests to a HotSpot JVM through its dynamic attach mechanism.
//
//   <tmp>/.java_pid<n>     the JVM's socket; created at the first request to attach
//   <tmp>/.attach_pid<n>   the trigger: together with SIGQUIT, the request to create the socket
// <n> is the pid in the JVM's pid namespace, <tmp> is the JVM's /tmp. SIGQUIT makes the JVM print a
// thread dump instead if the trigger is missing, if the JVM listens on the socket already, or if
// the JVM runs with +DisableAttachMechanism. So the client sends SIGQUIT only while it holds the
// trigger (AttachTrigger) and no process listens on the socket. If the JVM listens but is busy, the
// client waits. The client never sends SIGQUIT to a process that does not catch the signal, because
// the signal would end the process.
//
// Used on jprof's only thread.
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
  // `temp` is the target's /tmp. REQUIRES: `target` and `temp` outlive the client.
  AttachClient(TargetProcess& target, const TargetFolder& temp) : target_(target), temp_(temp) {}

  // Sends the request and returns the reply. Fails with kNoAttach, kExited, kPermission, with
  // kNoAnswer at the deadline, or with kUsage if the request is too long for this JVM.
  Outcome<AttachReply> Execute(const AttachRequest& request, const Deadline& deadline);

  // Fails with kNoAttach if the JVM was started with attaching switched off.
  Outcome<void> CheckAllowed() const;

 private:
  Outcome<AttachReply> Exchange(const AttachRequest& request, AttachVersion version,
                                const Deadline& deadline);
  Outcome<bool> SpeaksVersion2(const Deadline& deadline);

  struct Connection {
    std::optional<ScopedFd> socket;  // nullopt if not connected
    bool has_listener = false;       // true if the JVM listens
  };

  Outcome<ScopedFd> Connect(const Deadline& deadline);
  Outcome<Connection> TryConnect();
  // Fails unless the listener of the socket is the target.
  Outcome<void> CheckListener(int socket, const std::string& name) const;
  // Fails if SIGQUIT would end the JVM or make it print a thread dump.
  Outcome<void> CheckMayStartListener(const Deadline& deadline);
  struct Request;
  Outcome<bool> Advance(Request& request);
  Outcome<ScopedFd> StartListener(const Deadline& deadline);
  Outcome<ScopedFd> AwaitConnection(const Deadline& deadline);
  Outcome<void> AwaitSignalHandler(const Deadline& deadline);
  Outcome<void> WriteAll(int socket, const std::string& bytes, const Deadline& deadline) const;
  Outcome<std::string> ReadAll(int socket, const Deadline& deadline) const;
  Outcome<void> AwaitReady(int socket, short events, const Deadline& deadline) const;

  Failure NoAnswer(const std::string& what) const;
  Failure TargetExited() const;
  bool IsAttachDisabled() const;
  std::string SocketName() const;
  std::string TriggerName() const;

  TargetProcess& target_;
  const TargetFolder& temp_;
};

}  // namespace jprof
