// SampleRing: carries samples from many handlers to one recorder; bounded, lock-free.
//
// Push: Async-signal-safe, Thread-safe. Drain: one thread at a time.
//
// A slot's sequence number says whose turn it is: == ticket, a producer may fill it; == ticket + 1,
// the consumer may take it. A producer that is stopped between taking its ticket and publishing
// holds up the consumer at that slot, never another producer: nothing is lost, it is taken later.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sigsafe/memory/region.h"
#include "sigsafe/sampling/sample.h"

namespace jprof {

class SampleRing {
 public:
  static constexpr uint64_t kCapacity = 16384;

 private:
  struct Slot {
    // release publishes the sample (or the free slot), acquire takes it. Stored minus the slot's
    // index, so that zeroed memory is an empty ring.
    std::atomic<uint64_t> turn;
    Sample sample;
  };

 public:
  static constexpr size_t kRegionSize = kCapacity * sizeof(Slot);

  // REQUIRES: a zeroed region of kRegionSize that outlives the ring.
  explicit SampleRing(Region region) : slots_(static_cast<Slot*>(region.data)) {}

  // False when the ring is full: the caller accounts for the sample.
  bool Push(const Sample& sample) {
    uint64_t ticket = tail_.load(std::memory_order_relaxed);
    for (;;) {
      Slot& slot = slots_[ticket % kCapacity];
      const uint64_t turn = slot.turn.load(std::memory_order_acquire) + ticket % kCapacity;
      if (turn < ticket) return false;
      if (turn > ticket) {
        ticket = tail_.load(std::memory_order_relaxed);
      } else if (tail_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_relaxed)) {
        slot.sample = sample;
        slot.turn.store(ticket + 1 - ticket % kCapacity, std::memory_order_release);
        return true;
      }
    }
  }

  // Calls visit(sample) for each published sample in order, until it meets a slot that is not.
  template <typename Visitor>
  void Drain(Visitor&& visit) {
    for (;;) {
      Slot& slot = slots_[head_ % kCapacity];
      const uint64_t turn = slot.turn.load(std::memory_order_acquire) + head_ % kCapacity;
      if (turn != head_ + 1) return;
      visit(static_cast<const Sample&>(slot.sample));
      slot.turn.store(head_ + kCapacity - head_ % kCapacity, std::memory_order_release);
      ++head_;
    }
  }

 private:
  static_assert(std::atomic<uint64_t>::is_always_lock_free);

  Slot* const slots_;
  // relaxed: tickets are unique by the compare-and-swap; the slots carry the ordering.
  alignas(64) std::atomic<uint64_t> tail_{0};
  alignas(64) uint64_t head_ = 0;  // the recorder's alone
};

}  // namespace jprof
