#include "os/cpu_timer.h"

#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <string>
#include <utility>

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

Result<ProcessTimer> ProcessTimer::Start(Nanos interval_ns) {
  itimerval present{};
  getitimer(ITIMER_PROF, &present);
  if (present.it_value.tv_sec != 0 || present.it_value.tv_usec != 0) {
    return Error("the program uses the process timer, ITIMER_PROF, itself");
  }
  const Nanos micros = std::max<Nanos>(interval_ns / 1000, 1);
  const timeval interval{static_cast<time_t>(micros / 1'000'000),
                         static_cast<suseconds_t>(micros % 1'000'000)};
  const itimerval wanted{interval, interval};
  if (setitimer(ITIMER_PROF, &wanted, nullptr) != 0) {
    return Error::FromErrno("setitimer", "ITIMER_PROF");
  }
  ProcessTimer timer;
  timer.running_ = true;
  return timer;
}

ProcessTimer::ProcessTimer(ProcessTimer&& other) noexcept
    : running_(std::exchange(other.running_, false)) {}

ProcessTimer& ProcessTimer::operator=(ProcessTimer&& other) noexcept {
  if (this != &other) {
    Stop();
    running_ = std::exchange(other.running_, false);
  }
  return *this;
}

void ProcessTimer::Stop() {
  if (!std::exchange(running_, false)) return;
  const itimerval none{};
  setitimer(ITIMER_PROF, &none, nullptr);
}

}  // namespace jprof
