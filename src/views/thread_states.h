// ThreadStates computes how each platform thread spent its life within a recording. The times of a
// thread in all states, including kUnattributed, add up exactly to its lifetime. Receives samples
// and events as a SampleSink does. Not thread-safe. The times come from these sources:
//
//   profiler.ThreadTime         lifetime, CPU time and time in the run queue, from the kernel's
//                               counters: exact
//   profiler.ThreadWaits        blocked, waiting, parked: exact
//   events of waits for locks   blocked, waiting, parked of a thread without profiler.ThreadWaits,
//                               and locks of native code: exact for waits above the threshold of
//                               the recording, with the error of the sampling for shorter ones
//   samples of wall             all other states, and waits without an event: with the error of
//                               the sampling
//
// A wait lasts until its thread runs again, so the last part of a wait is time in the run queue.
// kRunnable includes this time, too, so all states together can exceed the lifetime. The excess is
// subtracted from kRunnable, then from the states that samples show, then from the waits, and
// finally from kCpu, until nothing is left of it.
//
// All virtual threads together have one life (VirtualStates).
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

namespace jprof {

struct ThreadLife {
  uint32_t thread = 0;  // index into Profile::threads()
  bool is_virtual = false;
  double lifetime_ns = 0;  // 0 if unknown (virtual threads only)
  int64_t threads = 1;     // number of threads that the life sums
  StateTimes states = {};

  StateTime& operator[](LifeState state) { return states[static_cast<size_t>(state)]; }
  const StateTime& operator[](LifeState state) const { return states[static_cast<size_t>(state)]; }
};

// VirtualStates computes how all virtual threads together spent their time within a recording. Part
// of ThreadStates. The times come from these sources:
//
//   profiler.VirtualThreadTime  lifetimes, waits for the first carrier, monitors, Object.wait,
//                               parks and sleeps of threads started within the recording: exact
//   waits for sockets           input and output, which is a part of the parks: with the error of
//                               the sampling
//   samples of cpu and wall     the states of threads on a carrier
//
// Recordings without `lock` lack profiler.VirtualThreadTime. In such a recording, waits are known
// from events or from samples of wall, and the CPU time from samples, but the lifetimes are not
// known.
class VirtualStates {
 public:
  // REQUIRES: the event's type is profiler.VirtualThreadTime.
  void OnEvent(const profile::ProfileEvent& event);

  bool HasLifetimes() const { return lifetime_ns_ > 0; }
  double lifetime_ns() const { return lifetime_ns_; }
  int64_t threads() const { return started_; }

  // True if the waits and samples of the thread are to be added: the thread is virtual and is not
  // known to have started before the recording.
  bool Counts(const profile::ProfileThread& thread) const {
    return thread.is_virtual && (thread.java_id == 0 || thread.java_id >= first_id_);
  }

  // AddWaits, AddCpuSamples and AddWallSamples each add the times that one source shows. The times
  // of waits for sockets (LifeState::kIo of `waits`) are also part of the time in parks.
  void AddWaits(const StateTimes& waits);
  void AddCpuSamples(double ns, double variance);
  void AddWallSamples(const StateTimes& sampled);

  // Returns the time in each state. If lifetimes are known, the states include kUnattributed and
  // add up to the lifetimes.
  StateTimes States() const;

 private:
  StateTimes OfProbes() const;

  int64_t first_id_ = 0;
  int64_t started_ = 0;
  double lifetime_ns_ = 0;
  StateTimes exact_;
  StateTimes waits_;    // known from events
  StateTime cpu_;       // known from cpu samples
  StateTimes sampled_;  // known from wall samples
};

class ThreadStates {
 public:
  static bool IsWanted(const profile::RecordedType& type);

  // REQUIRES: IsWanted(the event's type).
  void OnEvent(const profile::ProfileEvent& event);
  void OnSample(const profile::Sample& sample);
  // Called like SampleSink::OnStacksForgotten. Only the stacks of samples are used.
  void OnStacksForgotten(const profile::Profile& profile);

  // True if the recording has the lifetimes of threads.
  bool HasLifetimes() const { return !times_.empty(); }

  // Returns the lives of all threads in the order of their numbers. REQUIRES: called once.
  std::vector<ThreadLife> Lives(const profile::Profile& profile);

 private:
  // The sums of one thread's profiler.ThreadTime events.
  struct Times {
    profile::Interval interval;
    double lifetime_ns = 0;
    double cpu_ns = 0;
    double queued_ns = 0;

    void Add(const Times& other);
  };
  // The part of a RecordedWait that is kept.
  struct Wait {
    uint32_t thread;
    LifeState state;
    bool is_of_java;
    int64_t time_ns;
    double stands_for_ns;
    double waited_ns;
    double variance;
  };
  using Waits = std::map<uint32_t, std::vector<const Wait*>>;  // keyed by thread

  void Add(const RecordedWait& wait);
  static ThreadLife LifeOf(uint32_t thread, const Times& times, const StateTimes& waits,
                           StateTimes sampled);
  void AddVirtual(const profile::Profile& profile, const Waits& waits,
                  std::vector<ThreadLife>& lives);
  // Returns the range of intervals_ that belongs to the thread, in order of time. REQUIRES:
  // intervals_ is sorted.
  std::pair<const SampledInterval*, const SampledInterval*> IntervalsOf(uint32_t thread) const;
  // Sums the waits of a thread within `life`. `known` has the sums of the thread from
  // profiler.ThreadWaits; they replace the thread's waits in Java. It is nullptr if the recording
  // has no sums for the thread.
  static StateTimes WaitsOf(const std::vector<const Wait*>& waits, const StateTimes* known,
                            profile::Interval life);

  std::map<uint32_t, Times> times_;  // keyed by thread
  std::vector<Wait> waits_;
  std::map<uint32_t, StateTimes> sums_;  // profiler.ThreadWaits, by thread
  VirtualStates virtual_;
  std::vector<SampledInterval> intervals_;  // samples of elapsed time
  size_t marked_ = 0;  // number of intervals at the front that MarkSafepoints has seen
  // The number of samples that are not in intervals_, by thread and kind.
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> moments_;
};

}  // namespace jprof
