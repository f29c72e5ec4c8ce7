#include "session/options/duration.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <system_error>

namespace jprof {
namespace {

struct Unit {
  std::string_view name;
  Nanos length_ns;
};

constexpr auto kUnits = std::to_array<Unit>({
    {"", 1},
    {"ns", 1},
    {"us", 1'000},
    {"ms", 1'000'000},
    {"s", kNanosPerSecond},
    {"m", 60 * kNanosPerSecond},
    {"h", 3600 * kNanosPerSecond},
});

Error TooLong() { return Error("is longer than any time the profiler can hold"); }

}  // namespace

Result<Nanos> ParseDuration(std::string_view text) {
  // Unsigned, so that from_chars takes no sign.
  uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, count);
  const std::string_view suffix(rest, static_cast<size_t>(end - rest));
  const auto unit = std::find_if(kUnits.begin(), kUnits.end(),
                                 [suffix](const Unit& each) { return each.name == suffix; });
  if (status == std::errc::invalid_argument || unit == kUnits.end()) {
    return Error("is not a time: write a whole number and ns, us, ms, s, m or h, as in 10ms");
  }
  const auto longest = static_cast<uint64_t>(std::numeric_limits<Nanos>::max() / unit->length_ns);
  if (status == std::errc::result_out_of_range || count > longest) return TooLong();
  return static_cast<Nanos>(count) * unit->length_ns;
}

}  // namespace jprof
