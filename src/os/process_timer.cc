#include "os/process_timer.h"

#include <sys/time.h>

#include <algorithm>
#include <utility>

namespace jprof {

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
