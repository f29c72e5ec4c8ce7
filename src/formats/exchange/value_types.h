// The names, units and values of samples in pprof and OTLP, and other facts that both formats write
// in the same way. The functions are thread-safe because they have no state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profile/profile.h"

namespace jprof {

// The start of a recording (since 1970) and its duration, limited to credible times
// (formats/credible_time.h).
struct RecordedSpan {
  int64_t start_ns, duration_ns;

  explicit RecordedSpan(const profile::Profile& profile);
};

// Returns the name of a method, or a placeholder if the method has no name.
std::string FunctionName(const profile::Profile& profile, uint32_t method);

// ValueTypes: the names and units of the values that the samples of one kind have, and the values.
struct ValueTypes {
  std::string_view count;  // name of the value in the unit "count"
  std::string_view value;  // name of the value in `unit`; empty: samples have only a count
  std::string_view unit;   // unit of `value`: "nanoseconds", "bytes"
  // True for time sampled at intervals: the value is the interval times the number of samples.
  bool is_interval = false;

  explicit ValueTypes(const profile::SampleKind& kind);

  // Returns `objects`, the number of objects that the samples stand for, if the recording has it;
  // otherwise the number of samples.
  static uint64_t CountOf(const profile::SampleKind& kind, uint64_t samples, double objects);
  // Returns the value of samples, in `unit`. The parameter `value` is the weight of the samples in
  // the unit of the kind.
  uint64_t ValueOf(const profile::SampleKind& kind, uint64_t samples, uint64_t value) const;
  // Returns the interval of the samples in nanoseconds if `unit` is "nanoseconds" and the interval
  // is known; otherwise 1.
  uint64_t PeriodOf(const profile::SampleKind& kind) const;
};

}  // namespace jprof
