// VirtualStates: computes how virtual threads spent their time within a recording, summed over all
// of them. Part of ThreadStates; not thread-safe. Sources:
//
//   profiler.VirtualThreadTime  lifetimes, waits for the first carrier, monitors, Object.wait,
//                               parks and sleeps of threads started within the recording: exact
//   waits for sockets           the parks that are input and output: with the error of the sampling
//   samples of cpu and wall     the states of threads on a carrier
//
// Recordings of other profilers lack profiler.VirtualThreadTime: they have only the waits and the
// CPU time that events and samples show, and no lifetime.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/analysis/recorded_wait.h"
#include "profile/profile.h"
#include "profile/profile_event.h"
#include "views/sampled_states.h"

namespace jprof {

class VirtualStates {
 public:
  // REQUIRES: an event of the type profiler.VirtualThreadTime.
  void OnEvent(const profile::ProfileEvent& event);

  bool HasLifetimes() const { return lifetime_ns_ > 0; }
  double lifetime_ns() const { return lifetime_ns_; }
  int64_t threads() const { return started_; }

  // True if the waits and samples of the thread count.
  bool Counts(const profile::ProfileThread& thread) const {
    return thread.is_virtual && (thread.java_id == 0 || thread.java_id >= first_id_);
  }

  // AddWaits, AddCpuSamples and AddWallSamples add times that are known from one source. Waits for
  // sockets are a part of the parks.
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

}  // namespace jprof
