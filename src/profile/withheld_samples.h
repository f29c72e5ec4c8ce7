// WithheldSamples holds samples whose meaning depends on the rest of their chunk, and passes them
// on at the end of the chunk.
//
//  - Several types of events can sample the same things, with different ranks (SAMPLE_SOURCE in
//    sample_kinds.def). Only the samples of one rank are passed on. The first chunk that has
//    samples of any of these types decides: the lowest rank among its samples is taken.
//  - A sample of a type that sample_kinds.def does not list has its duration as its value. But if
//    all its samples in the first chunk with such samples have the duration 0, the kind counts
//    samples instead. For example, JDK 11 to 17 write exceptions without a duration.
//
// LastSnapshot holds the samples of the latest snapshot of live objects until all events have been
// read.
//
// Both classes are part of ReadSamples and not thread-safe.
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
  // Caps the samples of a snapshot. jprof writes about ten thousand per snapshot.
  static constexpr size_t kMostSamples = 200'000;

  // Starts a new snapshot and drops the held samples, if `time_ns` is later than the time of the
  // held snapshot. Otherwise does nothing.
  void Begin(int64_t time_ns) {
    if (time_ns <= time_ns_) return;
    time_ns_ = time_ns;
    samples_.clear();
  }

  // Adds the sample. Leaves it out if its snapshot is earlier than the held one. Returns false if
  // the sample does not fit, because the held snapshot has kMostSamples samples.
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
  // Caps the held samples of one kind. When a kind reaches the cap, its held samples are passed on
  // or left out, as at the end of a chunk. The cap is high: Flight Recorder writes 300 samples of
  // allocations a second.
  static constexpr size_t kMostSamples = 1 << 20;

  using Pass = std::function<void(Sample&)>;

  // REQUIRES: `profile` outlives this.
  WithheldSamples(Profile& profile, Pass pass) : profile_(profile), pass_(std::move(pass)) {}

  // Passes the sample on, holds it or leaves it out. `best` is the lowest rank among the types that
  // the chunk declares and that sample the same things as the plan's type. It is not used if the
  // plan has no rank.
  void Take(const SamplePlan& plan, int best, Sample sample);

  // Decides about all held samples: passes them on or leaves them out.
  void EndChunk();

  // Appends a pointer to each held sample to `all`.
  void AddHeld(std::vector<Sample*>& all);

  // Returns one line for each kind and rank whose samples were left out, with the reason.
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
