// ValueTypes: what the samples of a kind are called in pprof and OTLP, and the values in those
// units. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profile/profile.h"

namespace jprof {

// When a recording began, since 1970, and how long it took.
struct RecordedSpan {
  int64_t start_ns, duration_ns;

  explicit RecordedSpan(const profile::Profile& profile);
};

// The name of a method; a placeholder for one that has none.
std::string FunctionName(const profile::Profile& profile, uint32_t method);

struct ValueTypes {
  std::string_view count;  // in the unit "count"
  std::string_view value;  // empty: a count is all that is known
  std::string_view unit;   // "nanoseconds", "bytes"; of `value`
  // `value` is the weight of a sample times the number of samples: of time sampled at intervals.
  bool is_interval = false;

  explicit ValueTypes(const profile::SampleKind& kind);

  // In the unit "count".
  static uint64_t CountOf(const profile::SampleKind& kind, uint64_t samples, double objects);
  // In `unit`.
  uint64_t ValueOf(const profile::SampleKind& kind, uint64_t samples, uint64_t value) const;
  // One sample stands for as much; in the unit of `value`, or a count of one.
  uint64_t PeriodOf(const profile::SampleKind& kind) const;
};

}  // namespace jprof
