#include "os/stoppable_thread.h"

#include "sigsafe/base/check.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {

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
