// WithheldSamples holds samples whose meaning depends on the rest of their chunk, and passes them
// on at the end of the chunk.
//
//  - Several types of events can sample the same things, with different ranks (SAMPLE_SOURCE in
//    sample_kinds.def). Only the samples of one rank are passed on: the lowest rank that has
//    samples in the first chunk with samples of any of these types.
//  - The samples of a type that sample_kinds.def does not list have durations as values. But if all
//    samples in the first chunk with such samples have the duration 0, their kind counts samples.
//    JDK 11 to 17 write exceptions without a duration.
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
  // Caps the samples of a snapshot. jprof writes some ten thousand per snapshot.
  static constexpr size_t kMostSamples = 200'000;

  // If this time is later than that of the held snapshot, drops the held samples and starts a new
  // snapshot. Otherwise does nothing.
  void Begin(int64_t time_ns) {
    if (time_ns <= time_ns_) return;
    time_ns_ = time_ns;
    samples_.clear();
  }

  // Adds the sample, unless its snapshot is earlier than the held one. Returns false if the held
  // snapshot already has kMostSamples samples.
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
  // or left out, as at the end of a chunk. For comparison: Flight Recorder writes 300 samples of
  // allocations a second.
  static constexpr size_t kMostSamples = 1 << 20;

  using Pass = std::function<void(Sample&)>;

  // REQUIRES: `profile` outlives this.
  WithheldSamples(Profile& profile, Pass pass) : profile_(profile), pass_(std::move(pass)) {}

  // Passes the sample on, holds it or leaves it out. `best` is the lowest rank among the types of
  // the chunk that sample the same things as the plan's type. It is ignored if the plan has no
  // rank.
  void Take(const SamplePlan& plan, int best, Sample sample);

  // Passes on or leaves out all samples that are held.
  void EndChunk();

  // Appends pointers to the held samples to `all`.
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
