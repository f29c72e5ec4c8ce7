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
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profile/profile.h"
#include "profile/sample_plan.h"

namespace jprof::profile {

// LastSnapshot: holds the samples of the latest snapshot until all events have been read. Part of
// ReadSamples; one thread.
class LastSnapshot {
 public:
  // The profiler writes some ten thousand.
  static constexpr size_t kMostSamples = 200'000;

  // There is a snapshot of this moment: a later one takes the place of the one before it.
  void Begin(int64_t time_ns) {
    if (time_ns <= time_ns_) return;
    time_ns_ = time_ns;
    samples_.clear();
  }

  // False: the snapshot has too many samples.
  bool Add(const Sample& sample) {
    Begin(sample.time_ns);
    if (sample.time_ns != time_ns_) return true;
    if (samples_.size() == kMostSamples) return false;
    samples_.push_back(sample);
    return true;
  }

  std::vector<Sample>& samples() { return samples_; }

 private:
  std::vector<Sample> samples_;
  int64_t time_ns_ = std::numeric_limits<int64_t>::min();
};

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
