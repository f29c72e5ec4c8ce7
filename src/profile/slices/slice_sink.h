// SliceSink: takes the samples and events of one recording, and passes on those of a slice, as
// those of another profile: one that holds the content of the slice alone, of one recording or
// several. Part of ReadSlices; one thread.
//
// A sample that lies partly in the window of time counts for its part, rounded so that adjacent
// windows add up: [0, t) and [t, end) are the whole, to the last sample and byte.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "profile/slices/slice.h"

namespace jprof::profile {

// Kinds that recordings of different intervals share: their samples weigh this many nanoseconds.
using KindIntervals = std::map<std::string, int64_t>;

class SliceSink : public SampleSink {
 public:
  // REQUIRES: all outlive the sink. `weighed`: empty where samples weigh as they do.
  SliceSink(const Slice& slice, const KindIntervals& weighed, const Profile& whole, Profile& part,
            SampleSink& next);

  // Of the recording, which relative times count from. `next` is not told.
  void OnBegin(int64_t time_ns) override;
  void OnSample(const Sample& sample) override;
  bool WantsEvents(const JfrType& type) override { return next_.WantsEvents(type); }
  // Whether the slice holds an event is known from its fields.
  bool TakesEvent(const JfrType& type) override {
    return !slice_.IsWhole() || next_.TakesEvent(type);
  }
  void OnEvent(const ProfileEvent& event) override;

  // After the last event: adds to the part what the recording says of itself.
  void Finish();

  // How many samples of the recording there were, and how many each option alone selects.
  enum Criterion : uint8_t { kEvent, kThread, kState, kTime, kStack, kCriteria };
  uint64_t samples() const { return samples_; }
  uint64_t SelectedBy(Criterion criterion) const { return selected_[criterion]; }

 private:
  static constexpr uint8_t kIncluded = 1, kExcluded = 2;

  struct MappedThread {
    uint32_t number = 0;
    bool is_known = false, is_selected = false;
  };
  struct MappedState {
    uint32_t number = 0;
    bool is_known = false, is_selected = false;
  };

  Sample Cut(const Sample& sample) const;
  bool HasMoment(int64_t time_ns) const { return from_ns_ <= time_ns && time_ns < until_ns_; }
  bool HasStack(uint32_t stack);
  void Pass(const Sample& cut, uint32_t thread, uint32_t state);
  const MappedThread& Thread(uint32_t number);
  const MappedState& State(uint32_t number);
  uint32_t Kind(uint32_t number);
  std::optional<int64_t> WeighedInterval(const SampleKind& kind) const;
  uint32_t Text(uint32_t number);
  uint32_t Method(uint32_t number);
  uint32_t Frame(uint32_t number);
  uint32_t Stack(uint32_t number);
  uint32_t ReversedStack(uint32_t number);
  uint32_t Labels(uint32_t number);

  const Slice& slice_;
  const KindIntervals& weighed_;
  const Profile& whole_;
  Profile& part_;
  SampleSink& next_;
  int64_t from_ns_, until_ns_;
  uint64_t samples_ = 0;
  std::array<uint64_t, kCriteria> selected_{};
  // Numbers of the part by numbers of the whole, plus 1; 0: not looked up yet.
  std::vector<uint32_t> kinds_, texts_, methods_, frames_, stacks_, labels_;
  std::vector<MappedThread> threads_;
  std::vector<MappedState> states_;
  std::vector<uint8_t> method_marks_;  // kIncluded and kExcluded, plus 4; 0: not looked up yet
  std::vector<uint8_t> stack_marks_;   // kIncluded and kExcluded of any frame
  std::vector<uint32_t> path_;
};

}  // namespace jprof::profile
