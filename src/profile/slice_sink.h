// SliceSink receives the samples and events of one recording, and passes on those that are in a
// slice. There are two profiles: "the whole" is the profile of the recording; "the part" is the
// profile of the slice, and can have content from several recordings. ProfilePart copies the
// content from the whole to the part, and converts numbers of the whole to numbers of the part.
// Both classes belong to ReadSlices and are not thread-safe.
//
// If a sample lies partly in the window of time, only the part of its weight inside the window
// counts. The rounding makes adjacent windows add up: the slices [0, t) and [t, end) together have
// exactly the samples and bytes of the recording.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "profile/slice.h"

namespace jprof::profile {

// Maps the name of a kind to its interval in nanoseconds.
using KindIntervals = std::map<std::string, int64_t>;

// The role of a recording among those that are read as one.
struct RecordingRole {
  uint32_t number = 0;  // from 0
  // The kinds that were sampled at different intervals in the recordings, each with the interval in
  // this recording. This interval is the weight of a sample of the kind.
  KindIntervals weighed = {};
  // True if another recording has a later snapshot of the live objects of the same JVM. The
  // snapshot of this recording is then left out, because each of its objects is also in the later
  // snapshot or is dead.
  bool has_old_snapshot = false;
};

// ProfilePart copies entries of one profile (the whole) to another profile (the part). An entry (a
// method, a thread or a stack) is copied when its number is first converted.
class ProfilePart {
 public:
  // REQUIRES: `whole` and `part` outlive the object. `part` can already hold the content of other
  // recordings.
  ProfilePart(const Profile& whole, Profile& part) : whole_(whole), part_(part) {}

  // Thread, State, Stack, ReversedStack, Labels and Kind convert numbers of the whole profile to
  // numbers of the part.
  uint32_t Thread(uint32_t number);
  uint32_t State(uint32_t number);
  uint32_t Stack(uint32_t number);
  // Like Stack, but the frames are in reverse order. REQUIRES: Stack is never called.
  uint32_t ReversedStack(uint32_t number);
  // Called when the whole profile has forgotten its stacks.
  void ForgetStacks() { stacks_.clear(); }
  uint32_t Labels(uint32_t number);
  // `unit` is the unit of the kind in the part.
  uint32_t Kind(uint32_t number, SampleUnit unit);
  bool HasKind(uint32_t number) const { return number < kinds_.size() && kinds_[number] != 0; }

  // Adds the facts about the process: the JVM, the libraries, the source files of classes. Called
  // once.
  void AddProcess();

 private:
  uint32_t Text(uint32_t number);
  uint32_t Method(uint32_t number);
  uint32_t Frame(uint32_t number);

  const Profile& whole_;
  Profile& part_;
  // Numbers of the part, plus 1, by numbers of the whole; 0 if not converted yet.
  std::vector<uint32_t> kinds_, threads_, states_, texts_, methods_, frames_, stacks_, labels_;
  std::vector<uint32_t> path_;
};

class SliceSink : public SampleSink {
 public:
  // REQUIRES: all arguments outlive the sink.
  SliceSink(const Slice& slice, const RecordingRole& role, const Profile& whole, Profile& part,
            SampleSink& next);

  // `time_ns` is the start of the recording, from which relative times count. Does not call OnBegin
  // of the next sink: ReadSlices calls it.
  void OnBegin(int64_t time_ns) override;
  void OnChunk(const JfrSchema& declared) override { next_.OnChunk(declared); }
  void OnSample(const Sample& sample) override;
  StackUse UseOfStacks() const override { return UseOfWhole(next_.UseOfStacks()); }
  StackUse UseOfEventStacks() const override { return UseOfWhole(next_.UseOfEventStacks()); }
  void OnStacksForgotten(const Profile& whole) override;
  bool TakesSnapshot(int64_t time_ns) override { return HasMoment(time_ns); }
  bool WantsEvents(const RecordedType& type) override;
  // If the slice is the whole recording, asks the next sink. Otherwise takes every event, because
  // only the fields of an event show whether it is in the slice.
  bool TakesEvent(const RecordedType& type) override {
    return !slice_.IsWhole() || next_.TakesEvent(type);
  }
  void OnEvent(const ProfileEvent& event) override;

  // Adds the facts about the recording and its process to the part. Called after the last event.
  void Finish();

  // The options of a slice that select samples.
  enum Criterion : uint8_t { kEvent, kThread, kState, kTime, kSpan, kTag, kStack, kCriteria };
  // The number of samples of the recording.
  uint64_t samples() const { return samples_; }
  // Returns the number of samples that one option alone selects.
  uint64_t SelectedBy(Criterion criterion) const { return selected_[criterion]; }

  // The sums over the scope events. A recording has a scope event (profiler.Span) for each closed
  // scope of a span, so that a span without samples is known, too. Filled only if the slice selects
  // a span.
  struct Scopes {
    bool are_recorded = false;  // the recording has scope events, of any span
    uint64_t of_span = 0;       // number of scopes of the selected span
    int64_t duration_ns = 0;    // sum of their durations
    bool are_passed = false;    // the next sink wants scope events and received one

    void Add(const Scopes& others);
  };
  const Scopes& scopes() const { return scopes_; }

 private:
  static constexpr uint8_t kIncluded = 1, kExcluded = 2, kKnown = 4;
  static constexpr uint8_t kHasSpan = 1, kHasTag = 2;

  bool HasMoment(int64_t time_ns) const {
    return window_.from_ns <= time_ns && time_ns < window_.to_ns;
  }
  // Returns how long this sink uses the stacks of the whole. `of_next` says how long the next sink
  // uses the stacks of the part. Never returns kToTheEnd, because the part has copies of the
  // stacks.
  StackUse UseOfWhole(StackUse of_next) const {
    const bool has_none = of_next == StackUse::kNone && !slice_.ChoosesStacks();
    return has_none ? StackUse::kNone : StackUse::kUntilForgotten;
  }
  void ForgetStacksOfPart();
  // Returns the part of the event's duration that lies in the window.
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
  // The results of tests, indexed by numbers of the whole; 0 if not tested yet. kKnown marks each
  // thread, state, method or set of labels that was tested. kIncluded marks the threads and states
  // of the slice, and the methods that --include matches. kExcluded marks the methods that
  // --exclude matches. A stack has the marks of all its methods. Sets of labels are marked with
  // kHasSpan and kHasTag (LabelMarks).
  std::vector<uint8_t> thread_marks_, state_marks_, label_marks_, method_marks_, stack_marks_;
};

}  // namespace jprof::profile
