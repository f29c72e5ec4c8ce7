#include "threads/thread_losses.h"

#include "sigsafe/sampling/sampling_state.h"

namespace jprof {

void ThreadLosses::Collect(ThreadSlot& slot) {
  for (size_t i = 0; i < kSampleLossCount; ++i) {
    std::atomic<uint64_t>& lost = slot.lost[i];
    if (lost.load(std::memory_order_relaxed) == 0) continue;
    // acquire pairs with AddLost: the slot's serial and tid were written before the weight.
    const uint64_t weight = lost.exchange(0, std::memory_order_acquire);
    const SampleLoss& loss = kSampleLosses[i];
    if (losses_.size() >= max_waiting_) {
      LostWithoutThread(loss.kind).fetch_add(weight, std::memory_order_relaxed);
      continue;
    }
    losses_.push_back({slot.serial.load(std::memory_order_relaxed),
                       slot.tid.load(std::memory_order_relaxed), loss.kind, loss.reason, weight});
  }
}

}  // namespace jprof
