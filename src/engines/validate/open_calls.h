// OpenCalls measures how much time a thread spends in calls of chosen methods: CPU time by the
// thread's CPU clock, and elapsed time. A method counts from its entry to its exit, with all that
// it calls. While it calls itself, its time counts once.
//
// A method is known by its place, a number from 1 on. Place 0 stands for all chosen methods
// together: it counts while the thread is in any of them.
//
// If a call ends without a call of Leave, as after a StackOverflowError in a probe, the next Leave
// of a call around it ends it.
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sigsafe/base/types.h"

namespace jprof {

// The clocks of a thread, or a difference between two readings.
struct ThreadClocks {
  Nanos cpu_ns = 0;
  Nanos elapsed_ns = 0;
};

struct MethodTime {
  uint64_t calls = 0;
  ThreadClocks time = {};
};

class OpenCalls {
 public:
  static constexpr uint32_t kAnyMethod = 0;

  // Begins a call, and returns its number for Leave. Calls read(), which returns ThreadClocks, as
  // the last action, and only if the method is not open yet.
  template <typename Read>
  uint32_t Enter(uint32_t place, Read&& read) {
    if (place >= methods_.size()) methods_.resize(place + 1);
    const auto number = static_cast<uint32_t>(calls_.size());
    calls_.push_back(place);
    Method& method = methods_[place];
    Method& any = methods_[kAnyMethod];
    ++method.sum.calls;
    ++any.sum.calls;
    ++any.open;
    if (++method.open != 1) return number;
    method.begin = read();
    if (any.open == 1) any.begin = method.begin;
    return number;
  }

  // Ends the call, and the calls within it. Does nothing if the call has been ended. Calls read()
  // as the first action, if the time of a method ends.
  template <typename Read>
  void Leave(uint32_t number, Read&& read) {
    if (number >= calls_.size()) return;
    const uint32_t place = calls_[number];
    const bool is_innermost = number + 1 == calls_.size();
    const bool ends_no_time = is_innermost && (place == kDropped || methods_[place].open > 1);
    const ThreadClocks now = ends_no_time ? ThreadClocks() : read();
    while (calls_.size() > number) EndInnermost(now);
  }

  // Ends the open calls of the method, and ignores that they end later. REQUIRES: the method is not
  // entered afterwards.
  void Drop(uint32_t place, const ThreadClocks& now);

  // Forgets the times and calls so far: open calls count from now on.
  void Restart(const ThreadClocks& now);

  // Forgets the open calls, of a thread that has ended in them.
  void Abandon();

  // Adds the times up to now, indexed by place.
  void AddTo(std::vector<MethodTime>& sums, const ThreadClocks& now) const;

  // Returns the time of the method in calls that have ended.
  MethodTime EndedTimeOf(uint32_t place) const {
    return place < methods_.size() ? methods_[place].sum : MethodTime();
  }

 private:
  // Stands for a method that was dropped.
  static constexpr uint32_t kDropped = UINT32_MAX;

  struct Method {
    uint32_t open = 0;        // number of open calls
    ThreadClocks begin = {};  // when the outermost of them began
    MethodTime sum = {};
  };

  static void Close(Method& method, const ThreadClocks& now);
  void EndInnermost(const ThreadClocks& now);

  std::vector<Method> methods_ = std::vector<Method>(1);  // by place
  std::vector<uint32_t> calls_;  // the places of the open calls, the outermost first
};

}  // namespace jprof
