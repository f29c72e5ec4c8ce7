// A SampleWindow is the part of a recording in which samples are recorded. It is the whole
// recording, unless the recording is limited to windows that the program or a user opens and
// closes.
//
// The state is one word, so that one load shows whether a window is open and how long windows have
// been open up to now.
//
// Async-signal-safe, on any thread; concurrent calls take effect in some order. Windows do not
// nest: a call of Open while a window is open, or of Close while none is open, has no effect.
//
// A Clock is a function that returns Nanos and never goes back. Open, Close, Turn and CloseForGood
// load the state, then read the clock, then replace the state if it has not changed since the load.
// So a window never starts before the previous one ended. In the opposite order, a thread that is
// interrupted after it has read the clock could count the same time twice.
#pragma once

#include <atomic>
#include <cstdint>

#include "sigsafe/base/types.h"
#include "sigsafe/os/clock.h"

namespace jprof {

class SampleWindow {
 public:
  struct Counts {
    uint64_t windows = 0;
    Nanos open_ns = 0;  // sum over all windows
  };

  // relaxed: orders no other data, and threads need not see the change at the same moment.
  bool IsOpen() const { return (word_.load(std::memory_order_relaxed) & kClosed) == 0; }
  bool IsLimited() const { return word_.load(std::memory_order_relaxed) != kAlwaysOpen; }

  // Limits the recording to windows, none of which is open yet. REQUIRES: nothing is sampled.
  void Limit() {
    windows_.store(0, std::memory_order_relaxed);
    word_.store(kClosed, std::memory_order_relaxed);
  }

  // Makes the whole recording one window. REQUIRES: nothing is sampled.
  void OpenPermanently() { word_.store(kAlwaysOpen, std::memory_order_relaxed); }

  template <typename Clock>
  void Open(const Clock& clock) {
    // acquire: pairs with the release in Replace. So this call reads the clock later than the call
    // that has stored the state.
    int64_t word = word_.load(std::memory_order_acquire);
    while ((word & (kClosed | kOver)) == kClosed) {
      // Stores the current time minus the total duration of the earlier windows (see word_).
      if (!Replace(word, (clock() - TimeOf(word)) << kFlagBits)) continue;
      windows_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
  }
  void Open() { Open(MonotonicNanos); }

  template <typename Clock>
  void Close(const Clock& clock) {
    int64_t word = word_.load(std::memory_order_acquire);  // pairs with Replace
    while (word != kAlwaysOpen && (word & kClosed) == 0) {
      if (Replace(word, (clock() - TimeOf(word)) << kFlagBits | kClosed)) return;
    }
  }
  void Close() { Close(MonotonicNanos); }

  // Closes the window if one is open, else opens one.
  template <typename Clock>
  void Turn(const Clock& clock) {
    int64_t word = word_.load(std::memory_order_acquire);  // pairs with Replace
    while (word != kAlwaysOpen && (word & kOver) == 0) {
      const int64_t closed = word & kClosed;
      if (!Replace(word, (clock() - TimeOf(word)) << kFlagBits | (closed ^ kClosed))) continue;
      if (closed != 0) windows_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
  }
  void Turn() { Turn(MonotonicNanos); }

  // Closes the window, if one is open. From then on, Open and Turn have no effect until the next
  // call of Limit.
  template <typename Clock>
  void CloseForGood(const Clock& clock) {
    int64_t word = word_.load(std::memory_order_acquire);  // pairs with Replace
    while (word != kAlwaysOpen && (word & kOver) == 0) {
      const Nanos open_ns = (word & kClosed) != 0 ? TimeOf(word) : clock() - TimeOf(word);
      if (Replace(word, open_ns << kFlagBits | kClosed | kOver)) return;
    }
  }
  void CloseForGood() { CloseForGood(MonotonicNanos); }

  // True after CloseForGood. relaxed: readers act on no other data.
  bool IsOver() const { return (word_.load(std::memory_order_relaxed) & kOver) != 0; }

  // Returns the number of windows so far, and how long they have been open. REQUIRES: the recording
  // is limited to windows.
  template <typename Clock>
  Counts CountsNow(const Clock& clock) const {
    const int64_t word = word_.load(std::memory_order_acquire);  // pairs with Replace
    const Nanos open_ns = (word & kClosed) != 0 ? TimeOf(word) : clock() - TimeOf(word);
    return {windows_.load(std::memory_order_relaxed), open_ns};
  }
  Counts CountsNow() const { return CountsNow(MonotonicNanos); }

  // The address of the state, for code in Java that reads how long windows have been open: if bit 0
  // is set, the bits above the two flags are that time in nanoseconds; else the current time minus
  // these bits is. REQUIRES: the recording is limited to windows.
  const std::atomic<int64_t>* word_address() const { return &word_; }

 private:
  // The release of a successful exchange pairs with the acquire of all later loads of word_. A
  // failed exchange is such a load too.
  bool Replace(int64_t& expected, int64_t word) {
    return word_.compare_exchange_weak(expected, word, std::memory_order_acq_rel,
                                       std::memory_order_acquire);
  }

  static Nanos TimeOf(int64_t word) { return word >> kFlagBits; }

  static constexpr int64_t kAlwaysOpen = 0;
  // The flags in the low bits of the word.
  static constexpr int64_t kClosed = 1;
  static constexpr int64_t kOver = 2;  // closed for good
  static constexpr int kFlagBits = 2;

  // The bits above the flags are a number of nanoseconds. While no window is open, the number is
  // the total duration of all windows so far. While a window is open, the number is the time at
  // which this window was opened minus the total duration of the earlier windows.
  std::atomic<int64_t> word_{kAlwaysOpen};
  std::atomic<uint64_t> windows_{0};
};

}  // namespace jprof
