#include "os/perf_event.h"

#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string>

#include "os/breakpoint_signals.h"
#include "os/read_file.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {
namespace {

enum class Watched { kKernelStacksToo, kKernelToo, kUserCode };

int OpenEvent(Tid tid, perf_event_attr& attributes) {
  attributes.size = sizeof attributes;
  attributes.wakeup_events = 1;
  attributes.disabled = 1;
  attributes.exclude_hv = 1;
  constexpr int kAnyCpu = -1;
  constexpr int kNoGroup = -1;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, Value(tid), kAnyCpu, kNoGroup,
                                  PERF_FLAG_FD_CLOEXEC));
}

int OpenTimer(Tid tid, Nanos period_ns, Watched watched) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.sample_period = static_cast<uint64_t>(period_ns);
  attributes.exclude_kernel = watched == Watched::kUserCode ? 1 : 0;
  if (watched == Watched::kKernelStacksToo) {
    attributes.sample_type = PERF_SAMPLE_CALLCHAIN;
    attributes.exclude_callchain_user = 1;
    attributes.write_backward = 1;
  }
  return OpenEvent(tid, attributes);
}

int OpenBreakpoint(Tid tid, uint64_t address) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_BREAKPOINT;
  attributes.bp_type = HW_BREAKPOINT_X;
  attributes.bp_addr = address;
  attributes.bp_len = sizeof(long);  // the length that all architectures accept for instructions
  attributes.sample_period = 1;
  attributes.exclude_kernel = 1;
  return OpenEvent(tid, attributes);
}

// True if the descriptor is in the last quarter of the descriptor limit: this quarter is left to
// the program. The kernel assigns the lowest free descriptor, so in this case few are left.
bool IsNeededByTheProgram(int fd) {
  rlimit files{};
  return fd >= 0 && getrlimit(RLIMIT_NOFILE, &files) == 0 &&
         static_cast<rlim_t>(fd) >= files.rlim_cur / 4 * 3;
}

constexpr int kZeros = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

}  // namespace

Result<PerfEvent> PerfEvent::Open(Tid tid, int signal, Nanos period_ns, Kernel kernel) {
  const bool stacks = kernel == Kernel::kStacks;
  ScopedFd fd(OpenTimer(tid, period_ns, stacks ? Watched::kKernelStacksToo : Watched::kKernelToo));
  if (!fd.valid() && !stacks && (errno == EACCES || errno == EPERM)) {
    fd = ScopedFd(OpenTimer(tid, period_ns, Watched::kUserCode));
  }
  return Owned(std::move(fd), tid, signal);
}

Result<PerfEvent> PerfEvent::AtInstruction(Tid tid, int signal, uint64_t address) {
  if (!kBreakpointsLetGo) {
    return Error(
        "perf_event_open is not called for breakpoints on this processor: after a signal, a thread "
        "does not leave the breakpoint");
  }
  return Owned(ScopedFd(OpenBreakpoint(tid, address)), tid, signal);
}

// Makes a PerfEvent of the new descriptor and directs its signals to the thread. If `fd` is
// invalid, errno must be the error of the attempt to open the event.
Result<PerfEvent> PerfEvent::Owned(ScopedFd fd, Tid tid, int signal) {
  const std::string thread = "thread " + std::to_string(Value(tid));
  const bool refused = !fd.valid() && (errno == EMFILE || errno == ENFILE);
  if (refused || IsNeededByTheProgram(fd.get())) {
    return Error("cannot perf_event_open " + thread +
                 ": the limit of open files is reached; raise it with ulimit -n");
  }
  if (!fd.valid()) return Error::FromErrno("perf_event_open", thread);
  // The owner is set before the signal. In the other order, a signal could go to the whole process.
  const f_owner_ex owner{F_OWNER_TID, Value(tid)};
  if (fcntl(fd.get(), F_SETOWN_EX, &owner) != 0 || fcntl(fd.get(), F_SETSIG, signal) != 0 ||
      fcntl(fd.get(), F_SETFL, O_ASYNC | O_NONBLOCK) != 0) {
    return Error::FromErrno("fcntl(perf event)", thread);
  }
  return PerfEvent(std::move(fd));
}

Status PerfEvent::CheckIsAllowed(Kernel kernel) {
  Result<PerfEvent> event = Open(CurrentTid(), 0, kNanosPerSecond, kernel);
  return event ? Status() : event.error();
}

uint64_t PerfEvent::MaxSamplesPerSecond() {
  const Result<std::string> text = ReadFile("/proc/sys/kernel/perf_event_max_sample_rate");
  uint64_t rate = 0;
  if (text) std::from_chars(text.value().data(), text.value().data() + text.value().size(), rate);
  return rate;
}

void PerfEvent::Enable() const { ioctl(fd_.get(), PERF_EVENT_IOC_ENABLE, 0); }

void PerfEvent::Disable() const { ioctl(fd_.get(), PERF_EVENT_IOC_DISABLE, 0); }

Result<PerfRings*> PerfRings::Reserve(size_t count) {
  const auto page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* base = mmap(nullptr, count * 2 * page_bytes, PROT_READ, kZeros, -1, 0);
  if (base == MAP_FAILED) {
    return Error::FromErrno("mmap", std::to_string(count) + " rings of perf_events");
  }
  return new PerfRings(static_cast<uint8_t*>(base), count, page_bytes);
}

// mmap replaces the old mapping in one step: a reader in a signal handler sees either the old or
// the new mapping.
Status PerfRings::Map(int fd, size_t place) {
  void* mapped = mmap(PlaceOf(place), 2 * page_bytes_, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
  if (mapped != MAP_FAILED) return {};
  const bool limit = errno == EPERM;
  Error error = Error::FromErrno("mmap", "ring of a perf_event");
  if (limit) {
    error = Error(error.message() +
                  ", no more memory may be locked; raise kernel.perf_event_mlock_kb or ulimit -l");
  }
  Unmap(place);  // the kernel might have unmapped the zeros before the failure
  return error;
}

// If the process may not have more mappings, mmap fails. The old ring then stays mapped, and is
// readable, too.
void PerfRings::Unmap(size_t place) {
  static_cast<void>(mmap(PlaceOf(place), 2 * page_bytes_, PROT_READ, kZeros | MAP_FIXED, -1, 0));
}

}  // namespace jprof
