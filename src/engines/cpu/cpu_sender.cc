#include "engines/cpu/cpu_sender.h"

#include <string>
#include <utility>

#include "base/log.h"
#include "sigsafe/base/check.h"
#include "sigsafe/sampling/signal_target.h"

namespace jprof {

Result<CpuSender> CpuSender::Create(CpuTrigger trigger, int signal, const ThreadSlot& thread,
                                    CpuTimer::Schedule schedule, PerfRings* rings) {
  const Tid tid = thread.tid.load(std::memory_order_relaxed);
  CpuSender sender;
  if (trigger == CpuTrigger::kThreadTimers) {
    Result<CpuTimer> timer = CpuTimer::Create(tid, signal, MakeCookie(thread.index), schedule);
    if (!timer) return timer.error();
    sender.sender_ = std::move(timer).value();
    if (rings != nullptr) sender.kernel_frames_ = Error("a thread timer tells none");
    return sender;
  }
  JPROF_CHECK(trigger == CpuTrigger::kPerfEvents);
  const auto kernel = rings == nullptr ? PerfEvent::Kernel::kNoStacks : PerfEvent::Kernel::kStacks;
  Result<PerfEvent> event = PerfEvent::Open(tid, signal, schedule.interval_ns, kernel);
  if (!event) return event.error();
  if (event.value().fd() >= kMaxOwnedDescriptor) {
    return Error("cannot perf_event_open thread " + std::to_string(Value(tid)) + ": descriptor " +
                 std::to_string(event.value().fd()) + " is beyond what can be told apart");
  }
  sender.sender_.emplace<OwnedEvent>(std::move(event).value(), thread.index, rings,
                                     &sender.kernel_frames_);
  return sender;
}

void CpuSender::Silence() {
  if (CpuTimer* timer = std::get_if<CpuTimer>(&sender_)) timer->Delete();
  if (const OwnedEvent* event = std::get_if<OwnedEvent>(&sender_)) event->Silence();
}

void CpuSender::Stop() {
  if (CpuTimer* timer = std::get_if<CpuTimer>(&sender_)) timer->Delete();
  if (OwnedEvent* event = std::get_if<OwnedEvent>(&sender_)) event->Close();
}

CpuSender::OwnedEvent::OwnedEvent(PerfEvent event, uint32_t slot_index, PerfRings* rings,
                                  Status* mapped)
    : event_(std::move(event)), slot_index_(slot_index), rings_(rings) {
  if (rings_ != nullptr) {
    *mapped = rings_->Map(event_.fd(), slot_index_);
    if (!*mapped) rings_ = nullptr;
  }
  SetDescriptorOwner(event_.fd(), slot_index);
  event_.Enable();
}

CpuSender::OwnedEvent& CpuSender::OwnedEvent::operator=(OwnedEvent&& other) noexcept {
  if (this != &other) {
    Close();
    event_ = std::move(other.event_);
    slot_index_ = other.slot_index_;
    rings_ = other.rings_;
  }
  return *this;
}

void CpuSender::OwnedEvent::Close() {
  if (event_.fd() < 0) return;
  event_.Disable();
  ClearDescriptorOwner(event_.fd());
  if (rings_ != nullptr) rings_->Unmap(slot_index_);
  event_ = PerfEvent();
}

}  // namespace jprof
