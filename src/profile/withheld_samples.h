// WithheldSamples holds samples whose meaning depends on the rest of their chunk, and passes them
// on at the end of the chunk.
//
//  - If several types of events sample the same things (SAMPLE_SOURCE in sample_kinds.def), only
//    the samples of one type are passed on: of the types in the first chunk that has such samples,
//    the one with the lowest rank.
//  - If all durations of a kind are 0 in its first chunk, its samples are counted instead: JDK 11
//    to 17 write exceptions without a duration.
//
// LastSnapshot holds the samples of the latest snapshot of live objects until all events have been
// read.
//
// Both are part of ReadSamples and not thread-safe.
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

class LastSnapshot {
 public:
  // Caps the samples of a snapshot. The profiler writes some ten thousand.
  static constexpr size_t kMostSamples = 200'000;

  // Begins the snapshot of this moment and drops all samples of an earlier one. Does nothing if the
  // snapshot that is held is as late or later.
  void Begin(int64_t time_ns) {
    if (time_ns <= time_ns_) return;
    time_ns_ = time_ns;
    samples_.clear();
  }

  // Adds the sample, unless it belongs to an earlier snapshot than the one that is held. Returns
  // false if the snapshot already has kMostSamples samples.
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
  // Caps the samples that are held of one kind. When the cap is reached, the held samples decide
  // what is passed on. Flight Recorder writes 300 allocations a second.
  static constexpr size_t kMostSamples = 1 << 20;

  using Pass = std::function<void(Sample&)>;

  // REQUIRES: `profile` outlives this.
  WithheldSamples(Profile& profile, Pass pass) : profile_(profile), pass_(std::move(pass)) {}

  // Passes the sample on, holds it or leaves it out. `best` is the lowest rank of the types in the
  // chunk that sample the same things; it is not used if the plan has no rank.
  void Take(const SamplePlan& plan, int best, Sample sample);

  // Passes on or leaves out all samples that are held.
  void EndChunk();

  // Appends pointers to the held samples to `all`.
  void AddHeld(std::vector<Sample*>& all);

  // Returns a line for each source of a kind that was left out, with the reason.
  std::vector<std::string> Notes() const;

 private:
  static constexpr int kNoRank = -1;

  struct Held {
    int rank;
    Sample sample;
  };
  struct Kind {
    std::optional<int> source;  // rank of the type whose samples are taken; nullopt if undecided
    std::map<int, uint64_t> left_out;  // number of samples, by rank
    bool has_durations = false;
    std::vector<Held> held;
  };

  Kind& KindOf(uint32_t number);
  void Hold(Kind& kind, int rank, const Sample& sample);
  void Settle(Kind& kind);

  Profile& profile_;
  const Pass pass_;
  std::vector<Kind> kinds_;  // indexed by number in Profile::kinds
};

}  // namespace jprof::profile
