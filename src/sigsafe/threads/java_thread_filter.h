// JavaThreadFilter: the set of kernel threads that are Java threads now. It is exact for every tid
// that Linux can assign, even if many threads start and end: each tid has its own bit, so clearing
// a tid affects no other tid.
//
// A tid is set by the thread itself, or by code that knows that the thread is alive. The tid is
// cleared at the end of the thread, before the kernel can assign the tid again. All functions are
// async-signal-safe and thread-safe. A page of the region covers 32768 tids; the page costs RAM
// once one of these tids has been set.
#pragma once

#include <cstddef>

#include "sigsafe/base/check.h"
#include "sigsafe/base/types.h"
#include "sigsafe/memory/lock_free_bitset.h"
#include "sigsafe/memory/region.h"

namespace jprof {

class JavaThreadFilter {
  // Linux include/linux/threads.h, PID_MAX_LIMIT: tids are below 4 Mi.
  using Bits = LockFreeBitset<size_t{1} << 22>;

 public:
  static constexpr size_t kRegionSize = sizeof(Bits);

  // REQUIRES: a zeroed region of kRegionSize that is never unmapped.
  explicit JavaThreadFilter(Region region) : bits_(*static_cast<Bits*>(region.data)) {
    JPROF_CHECK(region.size >= kRegionSize);
  }

  // A tid out of range is not a Java thread, and setting it has no effect.
  void Set(Tid tid) {
    if (tid != Tid{0}) bits_.Set(BitOf(tid));
  }
  void Clear(Tid tid) { bits_.Clear(BitOf(tid)); }
  bool Test(Tid tid) const { return bits_.Test(BitOf(tid)); }

  // Empties the filter, for a new run of the sampler.
  void ClearAll() { bits_.ClearAll(); }

 private:
  // A negative tid becomes a number far out of range.
  static size_t BitOf(Tid tid) { return static_cast<size_t>(Value(tid)); }

  Bits& bits_;
};

static_assert(JavaThreadFilter::kRegionSize == size_t{512} * 1024);

}  // namespace jprof
