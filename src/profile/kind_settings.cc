#include "profile/kind_settings.h"

#include <charconv>
#include <limits>

#include "base/time_units.h"

namespace jprof::profile {
namespace {

// "10 ms", or a plain number of nanoseconds; 0 for other texts.
int64_t IntervalNanos(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number <= 0) return 0;
  std::string_view rest = text.substr(static_cast<size_t>(end - text.data()));
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.empty()) return number;
  for (const TimeUnit& unit : kTimeUnits) {
    if (rest == unit.name) {
      return number <= std::numeric_limits<int64_t>::max() / unit.nanos ? number * unit.nanos : 0;
    }
  }
  return 0;
}

}  // namespace

bool TakeKindSetting(std::string_view name, std::string_view value, uint32_t number,
                     Profile& profile) {
  SampleKind& kind = profile.kinds[number];
  if (name == "period" || name == "interval") {
    if (const int64_t interval_ns = IntervalNanos(value); interval_ns != 0) {
      kind.interval_ns = interval_ns;
    }
  } else if (name == "filter") {
    profile.filter = value;
  } else if (name == "request" && value == "0") {
    return true;
  } else if (name == "request" && value.size() == 1 && value[0] >= '1' && value[0] <= '9') {
    kind.request = value[0] - '0';
  }
  return false;
}

}  // namespace jprof::profile
