#include "os/stoppable_thread.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "sigsafe/base/check.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {

Result<StopEvent> StopEvent::Create() {
  ScopedFd fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!fd.valid()) return Error::FromErrno("eventfd", "stop event");
  return StopEvent(std::move(fd));
}

void StopEvent::Set() { eventfd_write(fd_.get(), 1); }

void StopEvent::Clear() {
  eventfd_t count;
  eventfd_read(fd_.get(), &count);
}

bool StopEvent::WaitUntil(Nanos deadline_ns) const {
  for (;;) {
    const Nanos left_ns = std::max<Nanos>(deadline_ns - MonotonicNanos(), 0);
    const timespec timeout{static_cast<time_t>(left_ns / kNanosPerSecond),
                           static_cast<long>(left_ns % kNanosPerSecond)};
    pollfd wait{fd_.get(), POLLIN, 0};
    const int ready = ppoll(&wait, 1, &timeout, nullptr);
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

Result<StoppableThread> StoppableThread::Start(const std::string& name, Body body) {
  Result<StopEvent> created = StopEvent::Create();
  if (!created) return created.error();
  auto stop = std::make_unique<StopEvent>(std::move(created).value());
  Result<NativeThread> thread =
      NativeThread::Start(name, [body = std::move(body), event = stop.get()] { body(*event); });
  if (!thread) return thread.error();
  return StoppableThread(std::move(stop), std::move(thread).value());
}

StoppableThread& StoppableThread::operator=(StoppableThread&& other) noexcept {
  Stop();
  thread_ = std::move(other.thread_);
  stop_ = std::move(other.stop_);
  return *this;
}

void StoppableThread::RequestStop() {
  if (stop_ != nullptr) stop_->Set();
}

void StoppableThread::Stop() {
  JPROF_CHECK(tid() != CurrentTid());
  RequestStop();
  thread_.Join();
}

}  // namespace jprof
