// SpanLog collects the spans of a program, each with its time and the sums of its samples. Receives
// samples and events like a SampleSink. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "jfr/format/jfr_types.h"
#include "profile/profile.h"
#include "profile/profile_event.h"

namespace jprof::profile {

// The span ids in a set of labels or in an event.
struct SpanIds {
  int64_t span = 0;  // 0 if none
  int64_t root = 0;  // local root: the first span of the trace in the process; 0 if none

  int64_t request() const { return root != 0 ? root : span; }
};
SpanIds SpanIdsOf(const Profile& profile, uint32_t labels);

// The time and the sums of a span or of a request. The id of a request is the id of its local root.
struct SpanSums {
  SpanIds ids = {};
  Interval times = {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  bool is_measured = false;  // true if `times` comes from scopes and not from samples
  std::map<uint32_t, uint64_t> by_kind = {};  // weights of samples
  std::set<std::string> others = {};          // other labels, such as "tenant=7"

  int64_t duration_ns() const { return times.to_ns - times.from_ns; }
};

class SpanLog {
 public:
  // Caps the number of spans whose events are kept. The events of further spans are only counted
  // (left_out).
  static constexpr size_t kMaxSpans = 1'000'000;

  explicit SpanLog(Weigh weigh) : weigh_(weigh) {}

  static bool IsSpan(const RecordedType& type) { return type.name == JfrName(JfrType::kSpan); }

  // OnSample and OnEvent are called like the functions of the same names in SampleSink.
  void OnSample(const Sample& sample);
  // REQUIRES: IsSpan(the event's type).
  void OnEvent(const ProfileEvent& event);

  uint64_t left_out() const { return left_out_; }  // events of spans beyond kMaxSpans

  // Spans and Requests sort their results by duration, longest first.
  std::vector<SpanSums> Spans(const Profile& profile) const;
  std::vector<SpanSums> Requests(const Profile& profile) const;

 private:
  const Weigh weigh_;
  // Keyed by Sample::labels; Spans() reads the texts of the labels.
  std::map<uint32_t, SpanSums> by_labels_;
  std::map<int64_t, SpanSums> measured_;  // keyed by id of the span
  uint64_t left_out_ = 0;
};

}  // namespace jprof::profile
