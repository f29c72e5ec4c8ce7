// Moment is a point in time as users write it. "10s" is a time after the start of the recording.
// "12:00:05" is a time of day, and "2026-11-23T12:00:05" has a date, too; both are in the local
// time zone. "2026-11-23T12:00:05.123+01:00" has its own time zone; views print this form. Plain
// value, usable on any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace jprof::profile {

class Moment {
 public:
  // Accepts "90", "1.5s", "2m", "12:00", "12:00:05.250", "2026-11-23T12:00", "2026-11-23 12:00Z"
  // and the like. The error is one line.
  static Result<Moment> Parse(std::string_view text);

  // Returns the moment in a recording that starts at `begin_ns`. The result and `begin_ns` are
  // nanoseconds since 1970. If the moment is a time of day without a date, the day is chosen so
  // that the result is as close as possible to `begin_ns`.
  int64_t In(int64_t begin_ns) const;

  // True if the moment counts from the start of a recording.
  bool IsRelative() const { return !is_clock_; }

 private:
  struct Date {
    int year, month, day;
  };

  int64_t nanos_ = 0;  // nanoseconds after the start of the recording or after midnight
  bool is_clock_ = false;
  std::optional<Date> date_;
  std::optional<int64_t> zone_ns_;  // nanoseconds east of UTC; nullopt for the local time zone
};

}  // namespace jprof::profile
