// JavaThreadFilter: whether a kernel thread is a Java thread now. Exact for every tid that Linux
// can give, however many threads come and go: a bit a tid, so clearing one touches no other.
//
// Set by the thread itself or whoever knows it is alive, cleared before its tid can be reused: at
// its end. Any thread and any handler: Async-signal-safe, Thread-safe. A page of the region costs
// RAM once a tid that falls in it was set: 32768 tids a page.
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

  // A tid that no thread can have is not a Java thread; setting it does nothing.
  void Set(Tid tid);
  void Clear(Tid tid);
  bool Test(Tid tid) const;

  // Empties it, for a new session.
  void ClearAll();

 private:
  Bits& bits_;
};

}  // namespace jprof
