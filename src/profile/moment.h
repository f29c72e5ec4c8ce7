// Moment: a point in time as users write it: "10s" after the begin of the recording, "12:00:05" or
// "2026-11-23T12:00:05" of the clock in the time zone of the reader, or as views print it, with its
// own zone: "2026-11-23T12:00:05.123+01:00". Plain value: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace jprof::profile {

class Moment {
 public:
  // "90", "1.5s", "2m", "12:00", "12:00:05.250", "2026-11-23T12:00", "2026-11-23 12:00Z". The error
  // is one line.
  static Result<Moment> Parse(std::string_view text);

  // Nanoseconds since 1970, in a recording that begins at `begin_ns`. A time without a date is the
  // one nearest to the begin.
  int64_t In(int64_t begin_ns) const;

  // Whether it counts from the begin of whatever recording.
  bool IsRelative() const { return !is_clock_; }

 private:
  struct Date {
    int year, month, day;
  };

  int64_t nanos_ = 0;  // after the begin, or after midnight
  bool is_clock_ = false;
  std::optional<Date> date_;
  std::optional<int64_t> zone_ns_;  // east of UTC; nullopt: the zone of the reader
};

}  // namespace jprof::profile
