// WithheldSamples: holds the samples whose meaning only the rest of their chunk tells, and passes
// them on at its end. Part of ReadSamples; one thread.
//
//  - Of several events that sample the same things (SAMPLE_SOURCE) one source is taken: the best of
//    those that the first chunk with such samples has.
//  - A kind of durations that are all 0 in its first chunk is counted: JDK 11 to 17 write
//    exceptions so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profile/profile.h"
#include "profile/sample_plan.h"

namespace jprof::profile {

class WithheldSamples {
 public:
  // Of a kind; beyond them what is held decides. Flight Recorder writes 300 allocations a second.
  static constexpr size_t kMostSamples = 1 << 20;

  using Pass = std::function<void(Sample&)>;

  // REQUIRES: `profile` outlives this.
  WithheldSamples(Profile& profile, Pass pass) : profile_(profile), pass_(std::move(pass)) {}

  // Passes the sample on, holds it or leaves it out. `best`: the least rank of the events in the
  // chunk that sample the same; 0 for an event without a rank.
  void Take(const SamplePlan& plan, int best, Sample sample);

  void EndChunk();

  // Adds the samples that are held.
  void AddHeld(std::vector<Sample*>& all);

  // What was left out and why, a line for each kind.
  std::vector<std::string> Notes() const;

 private:
  static constexpr int kNoRank = -1;

  struct Held {
    int rank;
    Sample sample;
  };
  struct Kind {
    std::optional<int> source;         // the rank that is taken
    std::map<int, uint64_t> left_out;  // by rank: the number of samples
    bool has_durations = false;
    std::vector<Held> held;
  };

  Kind& KindOf(uint32_t number);
  void Hold(Kind& kind, int rank, const Sample& sample);
  void Settle(Kind& kind);

  Profile& profile_;
  const Pass pass_;
  std::vector<Kind> kinds_;  // by number
};

}  // namespace jprof::profile
