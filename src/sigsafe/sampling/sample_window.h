// SampleWindow: the part of a recording in which samples are recorded: all of it, unless the
// recording is limited to windows that somebody opens and closes.
//
// One word, so that a handler knows in one load whether a window is open, and a clock that runs
// only then can be read: how long windows have been open up to now.
//
// Async-signal-safe. Any thread; concurrent calls take effect in some order. A call of Open while a
// window is open, and of Close while none is, has no effect: windows do not nest.
#pragma once

#include <atomic>
#include <cstdint>

#include "sigsafe/base/types.h"

namespace jprof {

class SampleWindow {
 public:
  struct Counts {
    uint64_t windows = 0;
    Nanos open_ns = 0;  // together
  };

  // relaxed: the moment at which a window opens for a thread is its own anyway.
  bool IsOpen() const { return (word_.load(std::memory_order_relaxed) & kClosed) == 0; }
  bool IsLimited() const { return word_.load(std::memory_order_relaxed) != kAlwaysOpen; }

  // Limited to windows from now on; the first one may begin at once. REQUIRES: nothing is sampled.
  void Limit(bool is_open, Nanos now_ns) {
    windows_.store(0, std::memory_order_relaxed);
    word_.store(kClosed, std::memory_order_relaxed);
    if (is_open) Open(now_ns);
  }

  // REQUIRES: nothing is sampled.
  void OpenForEver() { word_.store(kAlwaysOpen, std::memory_order_relaxed); }

  void Open(Nanos now_ns) {
    int64_t word = word_.load(std::memory_order_relaxed);
    while ((word & kClosed) != 0) {
      // Counted from the time at which the windows so far would have begun as one.
      const int64_t open = (now_ns - (word >> 1)) << 1;
      if (!word_.compare_exchange_weak(word, open, std::memory_order_relaxed)) continue;
      windows_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
  }

  void Close(Nanos now_ns) {
    int64_t word = word_.load(std::memory_order_relaxed);
    while (word != kAlwaysOpen && (word & kClosed) == 0) {
      const int64_t closed = (now_ns - (word >> 1)) << 1 | kClosed;
      if (word_.compare_exchange_weak(word, closed, std::memory_order_relaxed)) return;
    }
  }

  // REQUIRES: limited.
  Counts CountsAt(Nanos now_ns) const {
    const int64_t word = word_.load(std::memory_order_relaxed);
    const Nanos open_ns = (word & kClosed) != 0 ? word >> 1 : now_ns - (word >> 1);
    return {windows_.load(std::memory_order_relaxed), open_ns};
  }

 private:
  static constexpr int64_t kAlwaysOpen = 0;
  static constexpr int64_t kClosed = 1;  // a bit of the word

  // Above the bit: while closed, how long windows have been open; while open, since when they would
  // be if they were one.
  std::atomic<int64_t> word_{kAlwaysOpen};
  std::atomic<uint64_t> windows_{0};
};

}  // namespace jprof
