#include "os/cpu_timer.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <string>

#include "os/cpu_clock.h"

namespace jprof {
namespace {

timespec ToTimespec(Nanos nanos) {
  return {static_cast<time_t>(nanos / kNanosPerSecond), static_cast<long>(nanos % kNanosPerSecond)};
}

}  // namespace

// Uses system calls: glibc's timer_t hides the kernel's id, and glibc's functions have moved
// between libraries (librt before 2.34).
Result<CpuTimer> CpuTimer::Create(Tid tid, int signal, sigval cookie, Schedule schedule) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal;
  event.sigev_value = cookie;
  event._sigev_un._tid = Value(tid);
  int id = kNone;
  if (syscall(SYS_timer_create, CpuClockOf(tid), &event, &id) != 0) {
    if (errno == EAGAIN) {
      return Error("cannot timer_create thread " + std::to_string(Value(tid)) +
                   ": the limit of queued signals is reached; raise it with ulimit -i");
    }
    return Error::FromErrno("timer_create", "thread " + std::to_string(Value(tid)));
  }
  CpuTimer timer(id);
  itimerspec times{};
  times.it_value = ToTimespec(schedule.first_ns);
  times.it_interval = ToTimespec(schedule.interval_ns);
  if (syscall(SYS_timer_settime, id, 0, &times, nullptr) != 0) {
    return Error::FromErrno("timer_settime", "thread " + std::to_string(Value(tid)));
  }
  return timer;
}

CpuTimer& CpuTimer::operator=(CpuTimer&& other) noexcept {
  if (this != &other) {
    Delete();
    id_ = std::exchange(other.id_, kNone);
  }
  return *this;
}

void CpuTimer::Delete() {
  if (id_ != kNone) syscall(SYS_timer_delete, std::exchange(id_, kNone));
}

}  // namespace jprof
