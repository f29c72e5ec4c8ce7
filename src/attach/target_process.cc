#include "attach/target_process.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <ctime>

#include "attach/deadline.h"
#include "os/process_information.h"
#include "os/read_file.h"

namespace jprof {
namespace {

Failure NoSuchProcess(pid_t pid) {
  return {FailureKind::kNoProcess,
          "there is no process " + std::to_string(pid) + ": jprof list shows the running JVMs"};
}

}  // namespace

Outcome<TargetProcess> TargetProcess::Open(pid_t pid) {
  ScopedFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  // EINVAL: `pid` is the id of a thread. Other errors, such as ENOSYS on an old kernel or in a
  // container that does not allow the call, leave us without a pidfd.
  if (!pidfd.valid() && (errno == ESRCH || errno == EINVAL)) return NoSuchProcess(pid);
  TargetProcess target(pid, std::move(pidfd));
  if (Outcome<void> refreshed = target.Refresh(); !refreshed) return refreshed.error();
  if (Outcome<void> hotspot = target.AwaitHotSpot(); !hotspot) return hotspot.error();
  if (target.status_.IsStopped()) {
    return Failure(FailureKind::kNoAnswer, target.Name() +
                                               " is stopped: continue it first (kill "
                                               "-CONT " +
                                               std::to_string(pid) + ")");
  }
  return target;
}

std::string TargetProcess::Name() const { return "process " + std::to_string(pid_); }

std::string TargetProcess::ProcPath(const std::string& name) const {
  return "/proc/" + std::to_string(pid_) + "/" + name;
}

Outcome<void> TargetProcess::Refresh() {
  const Result<std::string> text = ReadFile(ProcPath("status"));
  if (!text) return NoSuchProcess(pid_);
  Result<ProcessStatus> status = ParseProcessStatus(text.value());
  if (!status) return Failure(FailureKind::kNoProcess, status.error());
  status_ = status.value();
  if (status_.IsDead()) {
    return Failure(FailureKind::kNoProcess,
                   Name() + " has ended already; its parent has not yet collected it (zombie)");
  }
  // The exit is checked after the file was read. If the target still exists now, no other process
  // has had its pid, so the data is the target's.
  return HasExited() ? Outcome<void>(NoSuchProcess(pid_)) : Outcome<void>();
}

bool TargetProcess::HasExited() const { return HasExitedWithin(0); }

bool TargetProcess::IsExiting() const {
  constexpr int kMoment = 500;
  return HasExitedWithin(kMoment);
}

bool TargetProcess::HasExitedWithin(int millis) const {
  if (!pidfd_.valid()) return kill(pid_, 0) != 0 && errno == ESRCH;
  pollfd ended{pidfd_.get(), POLLIN, 0};
  return poll(&ended, 1, millis) > 0;
}

Outcome<void> TargetProcess::Send(int signal) const {
  const long sent = pidfd_.valid()
                        ? syscall(SYS_pidfd_send_signal, pidfd_.get(), signal, nullptr, 0)
                        : kill(pid_, signal);
  if (sent == 0) return {};
  if (errno == ESRCH) return Failure(FailureKind::kExited, Ended());
  return Failure::FromErrno(FailureKind::kPermission, "kill", std::to_string(pid_));
}

Outcome<std::vector<MappedFile>> TargetProcess::MappedFiles() const {
  Result<std::vector<MappedFile>> files = MappedFilesOf(pid_);
  // The exit is checked after the files were read. If the target still exists now, no other process
  // has had its pid, so the files are the target's.
  if (HasExited()) return Failure(FailureKind::kExited, Ended());
  if (files) return std::move(files).value();
  return PermissionFailure(files.error());
}

Result<std::vector<MappedFile>> MappedFilesOf(pid_t pid) {
  // A mapping takes some 100 bytes, and a JVM can have many mappings (ZGC, hundreds of jars).
  constexpr size_t kMaxBytes = size_t{256} << 20;
  const std::string proc = "/proc/" + std::to_string(pid);
  const Result<std::string> maps = ReadFile(proc + "/maps", kMaxBytes);
  if (!maps) return maps.error();
  std::vector<MappedFile> files = ParseMappedFiles(maps.value());
  char root[PATH_MAX];
  const ssize_t length = readlink((proc + "/root").c_str(), root, sizeof root);
  if (length > 0) StripRoot(&files, std::string(root, static_cast<size_t>(length)));
  return files;
}

Failure TargetProcess::PermissionFailure(const Error& error) const {
  const bool is_ours = geteuid() == 0 || geteuid() == uid();
  const std::string remedy =
      is_ours ? "the kernel does not let jprof look into it: it needs the capability CAP_SYS_PTRACE"
              : "run jprof as that user or as root";
  return {FailureKind::kPermission, Name() + " belongs to uid " + std::to_string(uid()) + ": " +
                                        remedy + " (" + error.message() + ")"};
}

// True if the process has started less than 2 s ago. A process this young might still become a JVM:
// a launcher loads its JVM after some milliseconds, and a shell might first have to exec the
// launcher.
bool TargetProcess::HasJustStarted() const {
  constexpr Nanos kYoung = 2 * kNanosPerSecond;
  const Result<std::string> stat = ReadFile(ProcPath("stat"));
  const Result<int64_t> start_ticks = ParseStartTicks(stat ? stat.value() : "");
  timespec now{};
  if (!start_ticks || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return false;
  const Nanos start_ns = start_ticks.value() * (kNanosPerSecond / sysconf(_SC_CLK_TCK));
  return now.tv_sec * kNanosPerSecond + now.tv_nsec - start_ns < kYoung;
}

Outcome<void> TargetProcess::AwaitHotSpot() const {
  const Deadline patience = Deadline::In(kStartTimeout);
  for (;;) {
    Outcome<void> hotspot = CheckIsHotSpot();
    if (hotspot || hotspot.error().kind() != FailureKind::kNotAJvm || !HasJustStarted()) {
      return hotspot;
    }
    if (patience.HasPassed()) {
      return Failure(FailureKind::kNotAJvm,
                     hotspot.error().message() + "; if it is starting, try again in a moment");
    }
    Deadline::Pause();
  }
}

Outcome<void> TargetProcess::CheckIsHotSpot() const {
  const Outcome<std::vector<MappedFile>> files = MappedFiles();
  if (!files) return files.error();
  // OpenJ9 has a libjvm.so as well, which only forwards to OpenJ9's own libraries.
  const bool openj9 = std::any_of(files.value().begin(), files.value().end(), [](const auto& file) {
    return file.Name().starts_with("libj9vm");
  });
  if (openj9) {
    return Failure(FailureKind::kNotAJvm,
                   Name() + " is an OpenJ9 JVM: jprof profiles HotSpot JVMs (OpenJDK) only");
  }
  if (FindMapped(files.value(), "libjvm.so") == nullptr) {
    return Failure(FailureKind::kNotAJvm, Name() +
                                              " is not a JVM (libjvm.so is not loaded): jprof "
                                              "list shows the running JVMs");
  }
  return {};
}

}  // namespace jprof
