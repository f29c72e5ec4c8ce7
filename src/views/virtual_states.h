// VirtualStates: how virtual threads spent their time within a recording, summed over all of them.
// Fed by ThreadStates. One thread.
//
//   profiler.VirtualThreadTime  lifetimes, waits for the first carrier, monitors, Object.wait,
//                               parks and sleeps: exact; of threads made within the recording
//   waits for sockets           which of the parks are input and output: with the error of sampling
//   samples of cpu and wall     what the threads do on a carrier
//
// Without that event, as in recordings of other profilers, waits and CPU time are told as far as
// events and samples do, and no lifetime.
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
  // REQUIRES: of profiler.VirtualThreadTime.
  void OnEvent(const profile::ProfileEvent& event);

  bool HasLifetimes() const { return lifetime_ns_ > 0; }
  double lifetime_ns() const { return lifetime_ns_; }
  int64_t threads() const { return started_; }

  // Of which threads waits and samples count.
  bool Counts(const profile::ProfileThread& thread) const {
    return thread.is_virtual && (thread.java_id == 0 || thread.java_id >= first_id_);
  }

  // Each with what is known by it; `sockets` is a part of the parks.
  void AddWaits(const StateTimes& waits);
  void AddCpuSamples(double ns, double variance);
  void AddWallSamples(const StateTimes& sampled);

  // The states, and kUnattributed if there are lifetimes: then they add up to them.
  StateTimes States() const;

 private:
  StateTimes OfProbes() const;

  int64_t first_id_ = 0;
  int64_t started_ = 0;
  double lifetime_ns_ = 0;
  StateTimes exact_;
  StateTimes waits_;  // of events
  StateTime cpu_;     // of cpu samples
  StateTimes sampled_;
};

}  // namespace jprof
