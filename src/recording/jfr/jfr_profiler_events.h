// What the recording says about the profiler itself. Rows, one for each subject, so that a tool
// need not know the subjects.
//
// As in jfr_events.h: times are CLOCK_MONOTONIC nanoseconds, strings UTF-8 views that live during
// Append, and the fields are compared with jfr_types.def at compile time.
#pragma once

#include <cstdint>
#include <string_view>

#include "recording/jfr/jfr_types.h"

namespace jprof {

// `intervals` of one kind with one outcome, or, of kinds that are not cut into intervals, the
// weight in the unit of the kind. Samples taken are the sum of all rows.
struct SampleCount {
  static constexpr JfrType kType = JfrType::kSampleCount;
  int64_t time_ns = 0;
  std::string_view kind = {};
  std::string_view outcome = {};
  uint64_t intervals = 0;
  uint64_t total = 0;

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.String(kind);
    out.String(outcome);
    out.Long(static_cast<int64_t>(intervals));
    out.Long(static_cast<int64_t>(total));
  }
};

struct ProfilerTime {
  static constexpr JfrType kType = JfrType::kProfilerTime;
  int64_t time_ns = 0;
  std::string_view part = {};
  int64_t spent_ns = 0;
  int64_t total_ns = 0;

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.String(part);
    out.Duration(spent_ns);
    out.Duration(total_ns);
  }
};

struct ProfilerMemory {
  static constexpr JfrType kType = JfrType::kProfilerMemory;
  int64_t time_ns = 0;
  std::string_view category = {};
  uint64_t size_bytes = 0;

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.String(category);
    out.Long(static_cast<int64_t>(size_bytes));
  }
};

struct Counter {
  static constexpr JfrType kType = JfrType::kCounter;
  int64_t time_ns = 0;
  std::string_view name = {};
  uint64_t value = 0;

  template <class Writer>
  constexpr void Fields(Writer& out) const {
    out.Time(time_ns);
    out.String(name);
    out.Long(static_cast<int64_t>(value));
  }
};

}  // namespace jprof
