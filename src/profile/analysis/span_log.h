// SpanLog: the spans that a program worked for: when, and what was used for them. Fed as a
// SampleSink. One thread.
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

// Of a set of labels, or of an event. 0: none.
struct SpanIds {
  int64_t span = 0;
  int64_t root = 0;

  int64_t request() const { return root != 0 ? root : span; }
};
SpanIds SpanIdsOf(const Profile& profile, uint32_t labels);

// A span, or a request, whose id is that of its local root.
struct SpanSums {
  SpanIds ids = {};
  Interval times = {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  bool is_measured = false;                   // the times are of scopes; else of samples
  std::map<uint32_t, uint64_t> by_kind = {};  // weights of samples
  std::set<std::string> others = {};          // labels, as "tenant=7"

  int64_t duration_ns() const { return times.to_ns - times.from_ns; }
};

class SpanLog {
 public:
  // Of spans known by events; those beyond are counted.
  static constexpr size_t kMaxSpans = 1'000'000;

  explicit SpanLog(Weigh weigh) : weigh_(weigh) {}

  static bool IsSpan(const RecordedType& type) { return type.name == JfrName(JfrType::kSpan); }

  // As those of SampleSink. REQUIRES: OnEvent gets events of spans only.
  void OnSample(const Sample& sample);
  void OnEvent(const ProfileEvent& event);

  uint64_t left_out() const { return left_out_; }  // events

  // The longest first.
  std::vector<SpanSums> Spans(const Profile& profile) const;
  std::vector<SpanSums> Requests(const Profile& profile) const;

 private:
  const Weigh weigh_;
  std::map<uint32_t, SpanSums> by_labels_;  // labels are looked up at the end
  std::map<int64_t, SpanSums> measured_;    // by id
  uint64_t left_out_ = 0;
};

}  // namespace jprof::profile
