#include "threads/thread_losses.h"

#include "sigsafe/sampling/sampling_state.h"

namespace jprof {

void ThreadLosses::Collect(ThreadSlot& slot) {
  for (const SampleKindRow& row : kSampleKinds) {
    for (size_t reason = 0; reason < kLostReasonCount; ++reason) {
      std::atomic<uint64_t>& lost = slot.lost[static_cast<size_t>(row.kind)][reason];
      if (lost.load(std::memory_order_relaxed) == 0) continue;
      // acquire: pairs with AddLost; the slot's serial and tid were written before.
      const uint64_t weight = lost.exchange(0, std::memory_order_acquire);
      if (losses_.size() >= max_waiting_) {
        LostWithoutThread(row.kind).fetch_add(weight, std::memory_order_relaxed);
        continue;
      }
      losses_.push_back({slot.serial.load(std::memory_order_relaxed),
                         slot.tid.load(std::memory_order_relaxed), row.kind,
                         static_cast<LostReason>(reason), weight});
    }
  }
}

}  // namespace jprof
