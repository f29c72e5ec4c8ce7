// SliceSink: takes the samples and events of one recording, and passes on those of a slice, as
// those of another profile: one that holds the content of the slice alone, of one recording or
// several. Part of ReadSlices; one thread.
//
// A sample that lies partly in the window of time counts for its part, rounded so that adjacent
// windows add up: [0, t) and [t, end) are the whole, to the last sample and byte.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "profile/profile_part.h"
#include "profile/slice.h"

namespace jprof::profile {

// Kinds that recordings of different intervals share: their samples weigh this many nanoseconds.
using KindIntervals = std::map<std::string, int64_t>;

// What a recording is among those that are read as one.
struct RecordingRole {
  uint32_t number = 0;         // from 0
  KindIntervals weighed = {};  // empty where samples weigh as they do
  // Another one has a later snapshot of the same JVM, which holds what is still alive of this
  // one's.
  bool has_old_snapshot = false;
};

class SliceSink : public SampleSink {
 public:
  // REQUIRES: all outlive the sink.
  SliceSink(const Slice& slice, const RecordingRole& role, const Profile& whole, Profile& part,
            SampleSink& next);

  // Of the recording, which relative times count from. `next` is not told.
  void OnBegin(int64_t time_ns) override;
  void OnChunk(const JfrSchema& declared) override { next_.OnChunk(declared); }
  void OnSample(const Sample& sample) override;
  StackUse UseOfStacks() const override { return UseOfWhole(next_.UseOfStacks()); }
  StackUse UseOfEventStacks() const override { return UseOfWhole(next_.UseOfEventStacks()); }
  void OnStacksForgotten(const Profile& whole) override;
  bool TakesSnapshot(int64_t time_ns) override { return HasMoment(time_ns); }
  bool WantsEvents(const RecordedType& type) override;
  // Whether the slice holds an event is known from its fields.
  bool TakesEvent(const RecordedType& type) override {
    return !slice_.IsWhole() || next_.TakesEvent(type);
  }
  void OnEvent(const ProfileEvent& event) override;

  // After the last event: adds to the part what the recording says of itself.
  void Finish();

  // How many samples of the recording there were, and how many each option alone selects.
  enum Criterion : uint8_t { kEvent, kThread, kState, kTime, kSpan, kTag, kStack, kCriteria };
  uint64_t samples() const { return samples_; }
  uint64_t SelectedBy(Criterion criterion) const { return selected_[criterion]; }

  // Of a slice that chooses a span: what events of scopes tell, of which no sample may tell.
  struct Scopes {
    bool are_recorded = false;  // the recording has some, of whatever span
    uint64_t of_span = 0;       // of the span that is chosen, together of this duration
    int64_t duration_ns = 0;
    bool are_passed = false;  // the next sink wants them, and got one

    void Add(const Scopes& others);
  };
  const Scopes& scopes() const { return scopes_; }

 private:
  static constexpr uint8_t kIncluded = 1, kExcluded = 2, kKnown = 4;
  static constexpr uint8_t kHasSpan = 1, kHasTag = 2;

  bool HasMoment(int64_t time_ns) const {
    return window_.from_ns <= time_ns && time_ns < window_.to_ns;
  }
  // What is kept to the end is kept in the part.
  StackUse UseOfWhole(StackUse of_next) const {
    const bool has_none = of_next == StackUse::kNone && !slice_.ChoosesStacks();
    return has_none ? StackUse::kNone : StackUse::kUntilForgotten;
  }
  void ForgetStacksOfPart();
  // What of its duration lies in the window.
  int64_t InsideOf(const ProfileEvent& event) const;
  bool HasStack(uint32_t stack);
  bool HasThread(uint32_t number);
  bool HasState(uint32_t number);
  uint8_t LabelMarks(uint32_t number);
  bool HasSpanOf(const ProfileEvent& event) const;
  bool IsOfSpan(const ProfileEvent& passed) const;
  void CountScope(const ProfileEvent& event);
  void Pass(const Sample& cut);
  uint32_t Stack(uint32_t number);
  uint32_t Kind(uint32_t number);
  std::optional<int64_t> WeighedInterval(const SampleKind& kind) const;

  const Slice& slice_;
  const RecordingRole& role_;
  const Profile& whole_;
  Profile& part_;
  ProfilePart mapped_;
  SampleSink& next_;
  Interval window_{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  bool next_wants_scopes_ = false;
  Scopes scopes_;
  uint64_t samples_ = 0;
  std::array<uint64_t, kCriteria> selected_{};
  // By number of the whole: kKnown, and kIncluded if the slice has it; of methods and stacks
  // kIncluded and kExcluded of any frame. 0: not looked up yet.
  std::vector<uint8_t> thread_marks_, state_marks_, label_marks_, method_marks_, stack_marks_;
};

}  // namespace jprof::profile
