#include "attach/attach_client.h"

#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "attach/jvm_texts.h"
#include "attach/scoped_credentials.h"
#include "attach/target_folder.h"
#include "base/scoped_fd.h"
#include "os/process_information.h"
#include "os/read_file.h"

namespace jprof {
namespace {

// Tries to lock the file `name`, which `fd` refers to. Returns true if this process has the lock
// now and the file still has this name. A file system that refuses locks counts as success, because
// then no process can have a lock.
bool Hold(const TargetFolder& folder, const std::string& name, int fd) {
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  struct stat info;
  return fstat(fd, &info) == 0 && folder.Holds(name, info);
}

constexpr size_t kMaxReply = size_t{1} << 20;

bool IsGone(int error) { return error == EPIPE || error == ECONNRESET; }

// The environment variables that contain switches of the VM, in the order in which the VM reads
// them: it reads JAVA_TOOL_OPTIONS before the command line and _JAVA_OPTIONS after it, and the
// launcher puts JDK_JAVA_OPTIONS at the start of the command line. If a switch is given several
// times, the last one wins (Arguments::parse_vm_init_args in
// src/hotspot/share/runtime/arguments.cpp, jdk-17+35). Argument files are not read: only the JVM
// itself knows their content.
constexpr const char* kOptionsBeforeCommandLine[] = {"JAVA_TOOL_OPTIONS=", "JDK_JAVA_OPTIONS="};
constexpr const char* kOptionsAfterCommandLine = "_JAVA_OPTIONS=";

// Returns the value of a variable in the content of /proc/PID/environ; "" if it is not set. `name`:
// with '=' at its end.
std::string ValueIn(const std::vector<std::string>& environment, std::string_view name) {
  const auto entry = std::ranges::find_if(
      environment, [name](const std::string& each) { return each.starts_with(name); });
  return entry == environment.end() ? "" : entry->substr(name.size());
}

bool EndsSwitchedOn(const std::string& text, const std::string& name) {
  const size_t on = text.rfind("-XX:+" + name);
  const size_t off = text.rfind("-XX:-" + name);
  return on != std::string::npos && (off == std::string::npos || off < on);
}

}  // namespace

// AttachTrigger: the file .attach_pid<n> that, together with SIGQUIT, asks a JVM for its attach
// socket. At most one process holds the file at a time.
//
// A JVM that gets a second SIGQUIT prints a thread dump into the output of its program. So only the
// holder of the trigger, the process that has locked the file (flock), sends the signal, and sends
// it only once. The tools of the JDK lock nothing: an unlocked file belongs to such a tool, or was
// left by a process that was killed.
class AttachTrigger {
 public:
  // Creates the file, or takes over an existing one that no process has locked. Returns nullopt if
  // another process holds the file or has just removed it. Fails with kPermission if a file of
  // another user has the name, because the JVM does not accept such a file. REQUIRES: `folder`
  // outlives the trigger.
  static Outcome<std::optional<AttachTrigger>> Take(const TargetFolder& folder,
                                                    const std::string& name);

  // Removes the file `name` if it exists and no process has locked it.
  static void RemoveAbandoned(const TargetFolder& folder, const std::string& name);

  AttachTrigger(AttachTrigger&&) noexcept = default;
  AttachTrigger& operator=(AttachTrigger&&) = delete;
  ~AttachTrigger();  // removes the file

  // True if another process created the file. That process might have sent the signal already.
  bool was_found() const { return was_found_; }

  // Makes the destructor keep the file. Called if the JVM has been sent SIGQUIT and has not handled
  // the signal yet, because the JVM looks for the file when it handles the signal.
  void Leave() { fd_.Reset(); }

 private:
  AttachTrigger(const TargetFolder& folder, std::string name, ScopedFd fd, bool was_found)
      : folder_(&folder), name_(std::move(name)), fd_(std::move(fd)), was_found_(was_found) {}

  const TargetFolder* folder_;
  std::string name_;
  ScopedFd fd_;  // invalid after Leave, or if moved from
  bool was_found_;
};

Outcome<std::optional<AttachTrigger>> AttachTrigger::Take(const TargetFolder& folder,
                                                          const std::string& name) {
  Outcome<std::optional<ScopedFd>> found = folder.FindFile(name);
  if (!found) return found.error();
  const bool was_found = found.value().has_value();
  if (!was_found) {
    Outcome<ScopedFd> created = folder.Create(name, 0600);
    if (!created) {
      found = folder.FindFile(name);
      const bool was_overtaken = !found || found.value();
      return was_overtaken ? Outcome<std::optional<AttachTrigger>>(std::nullopt) : created.error();
    }
    found = std::optional(std::move(created).value());
  }
  ScopedFd fd = std::move(*found.value());
  if (!Hold(folder, name, fd.get())) return std::optional<AttachTrigger>();
  return std::optional(AttachTrigger(folder, name, std::move(fd), was_found));
}

void AttachTrigger::RemoveAbandoned(const TargetFolder& folder, const std::string& name) {
  const Outcome<std::optional<ScopedFd>> found = folder.FindFile(name);
  if (found && found.value() && Hold(folder, name, found.value()->get())) folder.Remove(name);
}

AttachTrigger::~AttachTrigger() {
  if (fd_.valid()) folder_->Remove(name_);
}

Outcome<AttachReply> AttachClient::Execute(const AttachRequest& request, const Deadline& deadline) {
  if (request.FitsVersion1()) return Exchange(request, AttachVersion::k1, deadline);
  const Outcome<bool> version2 = SpeaksVersion2(deadline);
  if (!version2) return version2.error();
  if (!version2.value()) {
    return Failure(
        FailureKind::kUsage,
        "the options are too long: JVMs before JDK 24 take 1024 bytes; shorten the paths");
  }
  return Exchange(request, AttachVersion::k2, deadline);
}

Outcome<bool> AttachClient::SpeaksVersion2(const Deadline& deadline) {
  const auto reply = Exchange({"getversion", {}}, AttachVersion::k1, deadline);
  if (!reply) return reply.error();
  return reply.value().result == 0 && reply.value().text.starts_with('2');
}

Outcome<AttachReply> AttachClient::Exchange(const AttachRequest& request, AttachVersion version,
                                            const Deadline& deadline) {
  Outcome<ScopedFd> connected = Connect(deadline);
  if (!connected) return connected.error();
  const int socket = connected.value().get();
  const Outcome<void> written = WriteAll(socket, Encode(request, version), deadline);
  if (!written) return written.error();
  const Outcome<std::string> bytes = ReadAll(socket, deadline);
  if (!bytes) return bytes.error();
  // The JVM closes the connection if it does not trust the peer.
  if (bytes.value().empty()) {
    if (target_.IsExiting()) return TargetExited();
    return Failure(FailureKind::kNoAttach,
                   target_.Name() + " closed the connection without a reply: run jprof as uid " +
                       std::to_string(target_.uid()) + " or as root");
  }
  Result<AttachReply> reply = ParseReply(bytes.value());
  if (reply) return std::move(reply).value();
  if (target_.IsExiting()) return TargetExited();
  return Failure(FailureKind::kNoAttach, target_.Name() + ": " + reply.error().message());
}

Outcome<ScopedFd> AttachClient::Connect(const Deadline& deadline) {
  Outcome<Connection> first = TryConnect();
  if (!first) return first.error();
  if (!first.value().has_listener) {
    const Outcome<void> may_start = CheckMayStartListener(deadline);
    return may_start ? StartListener(deadline) : may_start.error();
  }
  // If there is an abandoned trigger, removes it. Such a trigger is left by a client that was
  // killed, or that gave up before the JVM listened.
  AttachTrigger::RemoveAbandoned(temp_, TriggerName());
  if (first.value().socket) return std::move(*first.value().socket);
  return AwaitConnection(deadline);
}

Outcome<AttachClient::Connection> AttachClient::TryConnect() {
  const std::string name = SocketName();
  const Outcome<std::optional<ScopedFd>> path = temp_.FindSocket(name);
  if (!path) return path.error();
  if (!path.value()) return Connection();
  ScopedFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return Failure::FromErrno(FailureKind::kFile, "socket", "AF_UNIX");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // Names the socket by its open descriptor. So the socket's path can have any length, and no
  // process can replace the socket in the meantime.
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", path.value()->get());
  const Outcome<ScopedCredentials> as_target =
      ScopedCredentials::Assume(target_.uid(), target_.gid());
  if (!as_target) return as_target.error();
  if (connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    const Outcome<void> checked = CheckListener(socket.get(), name);
    if (!checked) return checked.error();
    return Connection{std::move(socket), true};
  }
  // unix(7), Linux: a nonblocking connect fails with EAGAIN while the listener's queue is full.
  if (errno == EAGAIN) return Connection{std::nullopt, true};
  // The socket is left over from an exited process with this pid.
  if (errno == ECONNREFUSED) return Connection();
  return Failure::FromErrno(FailureKind::kNoAttach, "connect", temp_.PathOf(name));
}

// The listener can be another JVM: JVMs in different pid namespaces that share a /tmp can have the
// same pid, and then also the same socket name.
Outcome<void> AttachClient::CheckListener(int socket, const std::string& name) const {
  // The credentials of the process that called listen(2). Its pid is 0 if its pid namespace is not
  // visible here.
  ucred listener{};
  socklen_t size = sizeof listener;
  const bool known =
      getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &listener, &size) == 0 && listener.pid > 0;
  if (!known || listener.pid == target_.pid()) return {};
  return Failure(FailureKind::kNoAttach,
                 temp_.PathOf(name) + " is the attach socket of process " +
                     std::to_string(listener.pid) + ", which shares the folder with " +
                     target_.Name() +
                     " and has the same pid in its namespace: load the agent at "
                     "the start of the JVM (-agentpath)");
}

Outcome<void> AttachClient::CheckAllowed() const {
  if (IsAttachDisabled()) {
    return Failure(FailureKind::kNoAttach, target_.Name() +
                                               " runs with -XX:+DisableAttachMechanism: load the "
                                               "agent at its start (-agentpath)");
  }
  if (temp_.IsWritable()) return {};
  const std::string obstacle = temp_.IsReadOnly()
                                   ? " is read-only"
                                   : " is not writable by its uid " + std::to_string(target_.uid());
  return Failure(FailureKind::kNoAttach,
                 "the folder " + temp_.path() + obstacle + " in the file system of " +
                     target_.Name() +
                     ", and HotSpot needs it for an attach: mount a writable one for it, or load "
                     "the agent at its start (-agentpath)");
}

Outcome<void> AttachClient::CheckMayStartListener(const Deadline& deadline) {
  const Outcome<void> allowed = CheckAllowed();
  return allowed ? AwaitSignalHandler(deadline) : allowed;
}

// The progress of a request for the attach socket.
struct AttachClient::Request {
  Deadline patience = Deadline::In(kStartTimeout);
  std::optional<AttachTrigger> trigger;
  bool is_sent = false;
};

// Takes the trigger if this process does not hold it yet; otherwise sends the signal if the signal
// is due. One call does not do both, so that the caller can look for a listener in between: the
// previous holder of the trigger might have made the JVM listen. Returns true if this call took the
// trigger.
Outcome<bool> AttachClient::Advance(Request& request) {
  std::optional<AttachTrigger>& trigger = request.trigger;
  if (!trigger) {
    Outcome<std::optional<AttachTrigger>> taken = AttachTrigger::Take(temp_, TriggerName());
    if (!taken && request.patience.HasPassed()) return taken.error();
    if (taken && taken.value()) trigger.emplace(std::move(*taken.value()));
    return trigger.has_value();
  }
  if (!request.is_sent && (!trigger->was_found() || request.patience.HasPassed())) {
    const Outcome<void> sent = target_.Send(SIGQUIT);
    if (!sent) return sent.error();
    request.is_sent = true;
  }
  return false;
}

Outcome<ScopedFd> AttachClient::StartListener(const Deadline& deadline) {
  Request request;
  for (;;) {
    Outcome<Connection> connection = TryConnect();
    if (!connection) return connection.error();
    if (connection.value().socket) return std::move(*connection.value().socket);
    if (connection.value().has_listener) break;
    if (target_.HasExited()) return TargetExited();
    if (deadline.HasPassed()) {
      if (request.is_sent) request.trigger->Leave();
      return NoAnswer("did not open its attach socket");
    }
    const Outcome<bool> is_new = Advance(request);
    if (!is_new) return is_new.error();
    if (!is_new.value()) Deadline::Pause();
  }
  return AwaitConnection(deadline);
}

// Keeps trying to connect to a JVM that listens. The queue of its socket can be full, because the
// JVM is in a pause or serves other clients.
Outcome<ScopedFd> AttachClient::AwaitConnection(const Deadline& deadline) {
  while (!deadline.HasPassed()) {
    Outcome<Connection> connection = TryConnect();
    if (!connection) return connection.error();
    if (connection.value().socket) return std::move(*connection.value().socket);
    if (target_.HasExited()) return TargetExited();
    Deadline::Pause();
  }
  return NoAnswer("listens but did not take the connection");
}

std::string AttachClient::SocketName() const {
  return ".java_pid" + std::to_string(target_.namespace_pid());
}

std::string AttachClient::TriggerName() const {
  return ".attach_pid" + std::to_string(target_.namespace_pid());
}

// Waits until the JVM catches SIGQUIT, as a JVM does shortly after its start. A JVM with -Xrs never
// catches SIGQUIT. It listens from its start on (jdk-17+35
// src/hotspot/os/posix/attachListener_posix.cpp, init_at_startup), so this function is called for
// such a JVM only if its socket has been removed.
Outcome<void> AttachClient::AwaitSignalHandler(const Deadline& deadline) {
  const Deadline patience = Deadline::In(kStartTimeout);
  while (!target_.Catches(SIGQUIT)) {
    if (patience.HasPassed() || deadline.HasPassed()) {
      return Failure(FailureKind::kNoAttach,
                     target_.Name() +
                         " does not handle SIGQUIT, with which attaching begins: it is "
                         "starting, then try again in a moment, or it runs with -Xrs and its "
                         "socket " +
                         temp_.PathOf(SocketName()) +
                         " has been removed, then load the agent at its start");
    }
    Deadline::Pause();
    const Outcome<void> refreshed = target_.Refresh();
    if (!refreshed) return TargetExited();
  }
  return {};
}

bool AttachClient::IsAttachDisabled() const {
  constexpr char kSwitch[] = "DisableAttachMechanism";
  const Outcome<std::vector<MappedFile>> files = target_.MappedFiles();
  if (files) {
    const JvmTexts texts = ReadJvmTexts(target_.pid(), files.value(), target_.uid());
    if (texts.has_all_vm_arguments) return EndsSwitchedOn(texts.vm_arguments, kSwitch);
  }
  const Result<std::string> environment = ReadFile(target_.ProcPath("environ"));
  const Result<std::string> cmdline = ReadFile(target_.ProcPath("cmdline"));
  const std::vector<std::string> variables =
      ParseCommandLine(environment ? environment.value() : "");
  std::string switches;
  for (const char* variable : kOptionsBeforeCommandLine) {
    switches += ValueIn(variables, variable) + ' ';
  }
  if (cmdline) switches += cmdline.value();
  switches += ' ' + ValueIn(variables, kOptionsAfterCommandLine);
  return EndsSwitchedOn(switches, kSwitch);
}

Outcome<void> AttachClient::AwaitReady(int socket, short events, const Deadline& deadline) const {
  for (;;) {
    pollfd fds[] = {{socket, events, 0}, {target_.pidfd(), POLLIN, 0}};
    const int ready = poll(fds, 2, deadline.MillisLeft());
    if (ready < 0 && errno == EINTR) continue;
    if (fds[0].revents != 0) return {};
    if (ready > 0) return TargetExited();
    return NoAnswer("accepted the request but did not answer");
  }
}

Outcome<void> AttachClient::WriteAll(int socket, const std::string& bytes,
                                     const Deadline& deadline) const {
  for (size_t done = 0; done < bytes.size();) {
    const Outcome<void> ready = AwaitReady(socket, POLLOUT, deadline);
    if (!ready) return ready.error();
    const ssize_t sent = send(socket, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent >= 0) {
      done += static_cast<size_t>(sent);
    } else if (IsGone(errno)) {
      return {};  // the reply, or its absence, shows the reason
    } else if (errno != EAGAIN && errno != EINTR) {
      return Failure::FromErrno(FailureKind::kNoAttach, "send", "the JVM's attach socket");
    }
  }
  return {};
}

Outcome<std::string> AttachClient::ReadAll(int socket, const Deadline& deadline) const {
  std::string bytes;
  char buffer[4096];
  while (bytes.size() < kMaxReply) {
    const Outcome<void> ready = AwaitReady(socket, POLLIN, deadline);
    if (!ready) return ready.error();
    const ssize_t got = recv(socket, buffer, sizeof buffer, 0);
    if (got == 0 || (got < 0 && IsGone(errno))) break;
    if (got > 0) {
      bytes.append(buffer, static_cast<size_t>(got));
    } else if (errno != EAGAIN && errno != EINTR) {
      return Failure::FromErrno(FailureKind::kNoAttach, "recv", "the JVM's attach socket");
    }
  }
  return bytes;
}

Failure AttachClient::NoAnswer(const std::string& what) const {
  const Result<std::string> text = ReadFile(target_.ProcPath("status"));
  const Result<ProcessStatus> status = ParseProcessStatus(text ? text.value() : "");
  if (!status || status.value().IsDead()) return TargetExited();
  const std::string reason =
      status.value().IsStopped()
          ? " and is stopped: continue it (kill -CONT " + std::to_string(target_.pid()) + ")"
          : " in time: it hangs or is very busy; --wait gives it longer";
  return {FailureKind::kNoAnswer, target_.Name() + " " + what + reason};
}

Failure AttachClient::TargetExited() const {
  return {FailureKind::kExited, target_.Name() + " ended before it answered"};
}

}  // namespace jprof
