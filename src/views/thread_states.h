// ThreadStates: of what the life of each platform thread within a recording was made. The states of
// a thread and kUnattributed add up to its lifetime, exactly. Fed as a SampleSink. One thread.
//
//   profiler.ThreadTime         lifetime, CPU time, time in the run queue: the kernel's counters,
//                               exact
//   profiler.ThreadWaits        blocked, waiting, parked: exact
//   waits for locks             the same where there is none of these: exact from the threshold of
//                               the recording on, below it with the error of their sampling; and
//                               locks of native code
//   samples of wall             all other states, and waits that these do not tell: with the error
//                               of their sampling
//
// A wait lasts until its thread runs again, so it has the time in the run queue at its end; that is
// known as an excess of all states over the lifetime alone. The excess is taken off kRunnable, then
// off the states of samples, then off the waits.
//
// Virtual threads are one life, that of all together (virtual_states.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profile/analysis/recorded_wait.h"
#include "profile/profile.h"
#include "profile/profile_event.h"
#include "views/sampled_states.h"
#include "views/virtual_states.h"

namespace jprof {

struct ThreadLife {
  uint32_t thread = 0;  // of Profile::threads()
  bool is_virtual = false;
  double lifetime_ns = 0;  // 0: not known, of virtual threads
  int64_t threads = 1;     // whose life it is
  StateTimes states = {};

  StateTime& operator[](LifeState state) { return states[static_cast<size_t>(state)]; }
  const StateTime& operator[](LifeState state) const { return states[static_cast<size_t>(state)]; }
};

class ThreadStates {
 public:
  static bool IsWanted(const profile::RecordedType& type);

  // REQUIRES: IsWanted(the event's type).
  void OnEvent(const profile::ProfileEvent& event);
  void OnSample(const profile::Sample& sample);
  // As SampleSink has it: of samples, not of events.
  void OnStacksForgotten(const profile::Profile& profile);

  // Whether the recording tells how long threads lived.
  bool HasLifetimes() const { return !times_.empty(); }

  // Of all threads, by number. Call once.
  std::vector<ThreadLife> Lives(const profile::Profile& profile);

 private:
  // Of one thread.
  struct Times {
    profile::Interval interval;
    double lifetime_ns = 0;
    double cpu_ns = 0;
    double queued_ns = 0;

    void Add(const Times& other);
  };
  // What is kept of a RecordedWait.
  struct Wait {
    uint32_t thread;
    LifeState state;
    bool is_of_java;
    int64_t time_ns;
    double stands_for_ns;
    double waited_ns;
    double variance;
  };
  using Waits = std::map<uint32_t, std::vector<const Wait*>>;  // by thread

  void Add(const RecordedWait& wait);
  static ThreadLife LifeOf(uint32_t thread, const Times& times, const StateTimes& waits,
                           StateTimes sampled);
  void AddVirtual(const profile::Profile& profile, const Waits& waits,
                  std::vector<ThreadLife>& lives);
  // In the order of time.
  std::pair<const SampledInterval*, const SampledInterval*> IntervalsOf(uint32_t thread) const;
  // `known`: the sums of the thread; nullptr: there are none.
  static StateTimes WaitsOf(const std::vector<const Wait*>& waits, const StateTimes* known,
                            profile::Interval life);

  std::map<uint32_t, Times> times_;  // by thread
  std::vector<Wait> waits_;
  std::map<uint32_t, StateTimes> sums_;  // of waits, by thread
  VirtualStates virtual_;
  std::vector<SampledInterval> intervals_;  // of samples of elapsed time
  size_t marked_ = 0;  // the first intervals, whose stacks are not needed any more
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> moments_;  // other samples by thread and kind
};

}  // namespace jprof
