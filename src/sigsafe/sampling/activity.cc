#include "sigsafe/sampling/activity.h"

#include <sys/syscall.h>

#include <algorithm>
#include <iterator>

#include "sigsafe/hotspot/java_thread.h"
#include "sigsafe/os/cancellable_call.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/registers.h"

namespace jprof {
namespace {

// The system calls in which a thread waits for I/O. SYS_poll, SYS_select and SYS_epoll_wait do not
// exist on every architecture.
constexpr long kIoCalls[] = {
#ifdef SYS_poll
    SYS_poll,         SYS_select,      SYS_epoll_wait,
#endif
    SYS_read,         SYS_pread64,     SYS_readv,      SYS_preadv,  SYS_write,    SYS_pwrite64,
    SYS_writev,       SYS_pwritev,     SYS_recvfrom,   SYS_recvmsg, SYS_recvmmsg, SYS_sendto,
    SYS_sendmsg,      SYS_sendmmsg,    SYS_accept,     SYS_accept4, SYS_connect,  SYS_ppoll,
    SYS_pselect6,     SYS_epoll_pwait, SYS_sendfile,   SYS_splice,  SYS_fsync,    SYS_fdatasync,
    SYS_io_getevents, SYS_openat,      SYS_flock,
};

// The shortest elapsed time for which a comparison with the thread's CPU time is meaningful.
constexpr Nanos kShortestWait = 50'000;

// True if the thread had a processor for less than half of the time since the engine sent the
// signal. If the thread was running when the signal was sent, it has used nearly all of this time.
bool WaitedForCpu(const ThreadSlot& thread) {
  const Nanos look_ns = thread.wall_look_ns.load(std::memory_order_relaxed);
  const Nanos elapsed_ns = MonotonicNanos() - look_ns;
  if (look_ns == 0 || elapsed_ns < kShortestWait) return false;
  const Nanos used_ns = ThreadCpuNanos() - thread.wall_look_cpu_ns.load(std::memory_order_relaxed);
  return 2 * used_ns < elapsed_ns;
}

ThreadActivity WaitOf(const ThreadSlot& thread, const HotspotLayout* vm, LoadFaults faults) {
  const void* env = thread.jni_env.load(std::memory_order_acquire);
  if (env == nullptr || vm == nullptr) return ThreadActivity::kSleeping;
  switch (WaitStateOf(*vm, faults, JavaThreadOf(env, vm->env_offset)).value_or(0)) {
    case kMonitorWait:
      return ThreadActivity::kBlockedOnMonitor;
    case kCondvarWait:
      return ThreadActivity::kParked;
    case kObjectWait:
      return ThreadActivity::kInObjectWait;
    default:
      return ThreadActivity::kSleeping;
  }
}

}  // namespace

ThreadActivity ActivityAt(const ucontext_t* context) {
  if (!WasBlockedInSyscall(context)) return ThreadActivity::kRunning;
  long number = BlockedSyscallNumber(context);
  if (number < 0) number = CancellableCallNumber(context);
  const bool io = std::find(std::begin(kIoCalls), std::end(kIoCalls), number) != std::end(kIoCalls);
  return io ? ThreadActivity::kInIo : ThreadActivity::kSleeping;
}

ThreadActivity Refined(ThreadActivity activity, const ThreadSlot& thread, const HotspotLayout* vm,
                       LoadFaults faults) {
  if (activity == ThreadActivity::kSleeping) return WaitOf(thread, vm, faults);
  if (activity == ThreadActivity::kRunning && WaitedForCpu(thread)) {
    return ThreadActivity::kWaitingForCpu;
  }
  return activity;
}

}  // namespace jprof
