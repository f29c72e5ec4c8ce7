// ThreadSlots: the region of all thread slots and the rule by which a thread gets one.
//
// Outside handlers the registry claims a slot for a thread and releases it when the thread has
// ended. In a handler, ForCurrentThread finds the slot of the running thread:
//   1. the slot in the thread-local, if the slot still has the tid of this thread. The tid is
//      compared because the registry might have released the slot: when an earlier thread with the
//      same tid had ended, the registry might have taken this thread for the ended one;
//   2. the slot whose index is in the signal's cookie, if the slot has the tid of this thread. The
//      slot is then adopted: the thread-local is set to it;
//   3. as the last resort, a free slot, which the handler claims. This allocates nothing, because
//      the region is reserved. A thread that has given up its slot at its end (EndCurrentThread)
//      claims none.
//
// ForCurrentThread, Adopt, FindForCurrentThread and Claim are async-signal-safe. There is one
// instance, created at the first start and leaked on purpose: a late handler can read a slot at any
// time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sigsafe/base/check.h"
#include "sigsafe/base/types.h"
#include "sigsafe/memory/region.h"
#include "sigsafe/memory/slot_pool.h"
#include "sigsafe/threads/thread_slot.h"

namespace jprof {

class ThreadSlots {
 public:
  // The maximum number of threads that can have a slot at the same time. The region takes address
  // space only: a slot costs RAM once it is used.
  static constexpr size_t kCapacity = 65536;

  static constexpr size_t kRegionSize = kCapacity * sizeof(ThreadSlot);

  // REQUIRES: a zeroed region of kRegionSize that is never unmapped.
  explicit ThreadSlots(Region region) : slots_(static_cast<ThreadSlot*>(region.data)) {
    JPROF_CHECK(region.size >= kRegionSize);
  }

  // Returns the slot of the running thread, by steps 1 to 3; nullptr if every slot is taken or the
  // thread has called EndCurrentThread. `hint` is the slot index in the signal's cookie.
  ThreadSlot* ForCurrentThread(uint32_t hint);

  // Returns the slot by steps 1 and 2 only; nullptr if neither finds one.
  ThreadSlot* Adopt(uint32_t hint);

  // Returns the slot for a signal without a cookie: by step 1, else by a search of all slots for
  // the tid. A slot that was found is adopted, so a thread searches only once. Returns nullptr if
  // no slot has the tid.
  ThreadSlot* FindForCurrentThread();

  // Returns a reset slot for `tid`, with a new serial; nullptr if every slot is taken.
  ThreadSlot* Claim(Tid tid, PrimingPath path = PrimingPath::kClaim);

  // Resets a taken slot and gives it a new serial, because its tid now belongs to another thread.
  // The new thread might already be using the slot.
  void Renew(ThreadSlot* thread, PrimingPath path);

  // Returns the number of slots handed out since the process started.
  uint32_t claims() const { return next_serial_.load(std::memory_order_relaxed) - 1; }

  // Releases the slot. REQUIRES: its thread has ended, or its thread is the calling thread and
  // CurrentThread() no longer returns the slot.
  void Release(ThreadSlot* thread);

  // Returns the slot at `index`, taken or not. REQUIRES: index < kCapacity.
  ThreadSlot* At(uint32_t index) {
    JPROF_CHECK(index < kCapacity);
    return &slots_[index];
  }
  bool IsTaken(uint32_t index) const { return taken_.IsTaken(index); }

  // Returns the index from which on no slot has ever been taken. Scans of all slots stop there.
  uint32_t HighWater() const { return high_water_.load(std::memory_order_seq_cst); }

 private:
  static ThreadSlot* OwnSlot();

  // Zero pages are valid slots: all members are zero-initialised atomics.
  ThreadSlot* const slots_;
  SlotPool<kCapacity> taken_;
  std::atomic<uint32_t> next_serial_{1};
  // seq_cst: a thread that exchanges a guarded pointer and then reads high_water_ must see every
  // slot whose thread can still hold the old pointer (ref_count_guard.h).
  std::atomic<uint32_t> high_water_{0};
};

}  // namespace jprof
