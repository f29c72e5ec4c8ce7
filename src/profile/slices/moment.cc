#include "profile/slices/moment.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <string>

namespace jprof::profile {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kMinute = 60 * kSecond;
constexpr int64_t kHour = 60 * kMinute;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// `number` units in nanoseconds, rounded: digits, with a fraction or without; nullopt: `number` is
// something else, or the time is longer than some thirty years. std::from_chars for doubles would
// bring tables of 20 kB into the library.
std::optional<int64_t> ParseNanos(std::string_view number, uint64_t unit_ns) {
  constexpr uint64_t kMost = uint64_t{1'000'000'000} * kSecond;
  const size_t dot = std::min(number.find('.'), number.size());
  if (dot == 0) return std::nullopt;
  uint64_t nanos = 0;
  for (const char digit : number.substr(0, dot)) {
    if (!IsDigit(digit)) return std::nullopt;
    nanos = nanos * 10 + static_cast<uint64_t>(digit - '0') * unit_ns;
    if (nanos > kMost) return std::nullopt;
  }
  constexpr uint64_t kNano = 1'000'000;  // the fraction's unit is a millionth of a nanosecond
  uint64_t fraction = 0;
  uint64_t place = unit_ns * kNano;
  for (const char digit : number.substr(std::min(dot + 1, number.size()))) {
    if (!IsDigit(digit)) return std::nullopt;
    place /= 10;
    fraction += static_cast<uint64_t>(digit - '0') * place;
  }
  nanos += (fraction + kNano / 2) / kNano;
  return nanos > kMost ? std::nullopt : std::optional(static_cast<int64_t>(nanos));
}

// Digits alone, at most `most`.
std::optional<int> ParsePart(std::string_view text, int least, int most) {
  int number = 0;
  const char* const end = text.data() + text.size();
  if (text.empty() || !IsDigit(text.front())) return std::nullopt;
  const auto [rest, status] = std::from_chars(text.data(), end, number);
  if (rest != end || status != std::errc() || number < least || number > most) return std::nullopt;
  return number;
}

std::string_view TakeUpTo(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

// "1.5s"; seconds without a unit.
std::optional<int64_t> ParseElapsed(std::string_view text) {
  struct Unit {
    std::string_view name;
    int64_t nanos;
  };
  static constexpr Unit kUnits[] = {{"ns", 1},      {"us", 1'000},  {"ms", 1'000'000},
                                    {"s", kSecond}, {"m", kMinute}, {"h", kHour}};
  const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view unit_name = text.substr(digits);
  for (const Unit& unit : kUnits) {
    if (unit_name != unit.name && !(unit_name.empty() && unit.nanos == kSecond)) continue;
    return ParseNanos(text.substr(0, digits), unit.nanos);
  }
  return std::nullopt;
}

// "12:00", "12:00:05.250"
std::optional<int64_t> ParseClock(std::string_view text) {
  const std::optional<int> hour = ParsePart(TakeUpTo(text, ':'), 0, 23);
  const std::optional<int> minute = ParsePart(TakeUpTo(text, ':'), 0, 59);
  const std::optional<int64_t> second = text.empty() ? 0 : ParseNanos(text, kSecond);
  if (!hour || !minute || !second || *second >= kMinute) return std::nullopt;
  return *hour * kHour + *minute * kMinute + *second;
}

// Midnight of a day in the reader's time zone, and `nanos` of the clock later.
int64_t AtClock(int year, int month, int day, int64_t nanos) {
  tm parts{};
  parts.tm_year = year - 1900;
  parts.tm_mon = month - 1;
  parts.tm_mday = day;
  parts.tm_hour = static_cast<int>(nanos / kHour);
  parts.tm_min = static_cast<int>(nanos % kHour / kMinute);
  parts.tm_sec = static_cast<int>(nanos % kMinute / kSecond);
  parts.tm_isdst = -1;
  return static_cast<int64_t>(mktime(&parts)) * kSecond + nanos % kSecond;
}

}  // namespace

Result<Moment> Moment::Parse(std::string_view text) {
  Moment moment;
  const Error wrong("'" + std::string(text) +
                    "' is no time: write 10s (after the begin), 12:00:05 or 2026-11-23T12:00:05");
  if (text.find(':') == std::string_view::npos) {
    const std::optional<int64_t> elapsed = ParseElapsed(text);
    if (!elapsed) return wrong;
    moment.nanos_ = *elapsed;
    return moment;
  }
  moment.is_clock_ = true;
  if (text.find('T') != std::string_view::npos) {
    std::string_view date = TakeUpTo(text, 'T');
    const std::optional<int> year = ParsePart(TakeUpTo(date, '-'), 1970, 2200);
    const std::optional<int> month = ParsePart(TakeUpTo(date, '-'), 1, 12);
    const std::optional<int> day = ParsePart(date, 1, 31);
    if (!year || !month || !day) return wrong;
    moment.date_ = Date{*year, *month, *day};
  }
  const std::optional<int64_t> clock = ParseClock(text);
  if (!clock) return wrong;
  moment.nanos_ = *clock;
  return moment;
}

int64_t Moment::In(int64_t begin_ns) const {
  if (!is_clock_) {
    int64_t sum = 0;
    return __builtin_add_overflow(begin_ns, nanos_, &sum) ? begin_ns : sum;
  }
  if (date_) return AtClock(date_->year, date_->month, date_->day, nanos_);
  // The begin is what a file says: any number.
  const int64_t begin = std::clamp<int64_t>(begin_ns, 0, INT64_MAX / 2);
  const auto seconds = static_cast<time_t>(begin / kSecond);
  tm parts{};
  localtime_r(&seconds, &parts);
  int64_t nearest = 0;
  for (const int day : {-1, 0, 1}) {
    const int64_t at = AtClock(parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday + day, nanos_);
    if (day == -1 || std::llabs(at - begin) < std::llabs(nearest - begin)) nearest = at;
  }
  return nearest;
}

}  // namespace jprof::profile
