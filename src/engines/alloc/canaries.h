// Canaries are objects that the agent allocates, and to which only weak references point. A garbage
// collection frees every canary that was allocated before the collection started, and none that was
// allocated later. If canaries have been freed, a collection of ZGC or Shenandoah has ended. That
// collection started after the youngest freed canary was allocated, and before the oldest remaining
// canary was allocated. A collection starts with a pause, so the first pause between these two
// times is the earliest possible start.
//
// A parameter `birth_ns` is the time at which an object was allocated.
//
// Used by one thread at a time. Makes no call into the JVM: callers pass the functions that look at
// references.
#pragma once

#include <jni.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "sigsafe/base/types.h"

namespace jprof {

class Canaries {
 public:
  // The maximum number of pauses that are kept.
  static constexpr size_t kMostPauses = 4096;
  // The largest number of canaries. To add one more, Add first drops some of the older half.
  static constexpr size_t kMost = 64;

  // Adds a canary that was allocated at `birth_ns` or shortly after. Calls drop(reference) for each
  // canary that is removed to make room.
  template <typename Drop>
  void Add(Nanos birth_ns, jweak reference, Drop&& drop) {
    if (canaries_.size() == kMost) ThinOut(drop);
    canaries_.push_back({birth_ns, reference});
  }

  // Removes the freed canaries, for which is_freed(reference) is true, and calls drop(reference)
  // for each. Returns the allocation time of the youngest freed canary; nullopt if none was freed.
  // Stops at the first canary that is not freed, because all canaries after it are younger.
  template <typename IsFreed, typename Drop>
  std::optional<Nanos> TakeFreed(IsFreed&& is_freed, Drop&& drop) {
    std::optional<Nanos> youngest_ns;
    size_t freed = 0;
    for (; freed < canaries_.size() && is_freed(canaries_[freed].reference); ++freed) {
      youngest_ns = canaries_[freed].birth_ns;
      drop(canaries_[freed].reference);
    }
    canaries_.erase(canaries_.begin(), canaries_.begin() + static_cast<ptrdiff_t>(freed));
    return youngest_ns;
  }

  // Adds a pause of the collector. REQUIRES: pauses are added in the order of time.
  void AddPause(Nanos start_ns) {
    pauses_ns_.push_back(start_ns);
    if (pauses_ns_.size() <= kMostPauses) return;
    pauses_known_from_ns_ = pauses_ns_.front();
    pauses_ns_.pop_front();
  }
  // Forgets the pauses, and notes that the pauses before now_ns are not known.
  void ForgetPauses(Nanos now_ns) {
    pauses_known_from_ns_ = now_ns;
    pauses_ns_.clear();
  }

  // Returns the earliest possible start of the collection that has freed a canary allocated at
  // birth_ns, but none of the canaries that are left. The collection could have freed every object
  // allocated before the returned time. Forgets the pauses that no later call needs.
  Nanos StartAfter(Nanos birth_ns) {
    Nanos start_ns = birth_ns;
    if (birth_ns >= pauses_known_from_ns_) {
      const auto next = std::ranges::upper_bound(pauses_ns_, birth_ns);
      if (next != pauses_ns_.end()) start_ns = *next;
    }
    if (!canaries_.empty()) start_ns = std::min(start_ns, canaries_.front().birth_ns);
    const Nanos needed_ns = canaries_.empty() ? start_ns : canaries_.front().birth_ns;
    while (!pauses_ns_.empty() && pauses_ns_.front() <= needed_ns) pauses_ns_.pop_front();
    return start_ns;
  }

  // True if no canary is younger than an object allocated at birth_ns.
  bool LacksOneAfter(Nanos birth_ns) const {
    return canaries_.empty() || canaries_.back().birth_ns <= birth_ns;
  }

  template <typename Drop>
  void Clear(Drop&& drop) {
    for (const Canary& canary : canaries_) drop(canary.reference);
    canaries_.clear();
  }

 private:
  struct Canary {
    Nanos birth_ns;
    jweak reference;
  };

  // Drops every second canary of the older half.
  template <typename Drop>
  void ThinOut(Drop&& drop) {
    size_t kept = 0;
    for (size_t i = 0; i < canaries_.size(); ++i) {
      if (i < kMost / 2 && i % 2 != 0) {
        drop(canaries_[i].reference);
      } else {
        canaries_[kept++] = canaries_[i];
      }
    }
    canaries_.resize(kept);
  }

  std::vector<Canary> canaries_;  // the oldest first
  std::deque<Nanos> pauses_ns_;   // starts of pauses, the earliest first
  Nanos pauses_known_from_ns_ = 0;
};

}  // namespace jprof
