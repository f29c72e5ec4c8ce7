#include "profile/moment.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <string>

#include "base/scaled_text.h"

namespace jprof::profile {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kMinute = 60 * kSecond;
constexpr int64_t kHour = 60 * kMinute;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Multiplies `number` by `unit_ns` and rounds the result to nanoseconds. Returns nullopt if
// `number` is neither an integer nor a decimal fraction such as "1.5", or if the result is more
// than about 30 years. Does not use std::from_chars: for doubles, it would add tables of 20 kB to
// the library.
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

// Parses a text that consists of digits only. Returns nullopt if the text has other characters, or
// if the number is below `least` or above `most`.
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

// Parses "1.5s"; a number without a unit is in seconds.
std::optional<int64_t> ParseElapsed(std::string_view text) {
  const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view unit_name = text.substr(digits);
  for (const TimeUnit& unit : kTimeUnits) {
    if (unit_name != unit.name && !(unit_name.empty() && unit.nanos == kSecond)) continue;
    return ParseNanos(text.substr(0, digits), unit.nanos);
  }
  return std::nullopt;
}

// Parses "12:00" or "12:00:05.250" into nanoseconds after midnight.
std::optional<int64_t> ParseClock(std::string_view text) {
  const std::optional<int> hour = ParsePart(TakeUpTo(text, ':'), 0, 23);
  const std::optional<int> minute = ParsePart(TakeUpTo(text, ':'), 0, 59);
  const std::optional<int64_t> second = text.empty() ? 0 : ParseNanos(text, kSecond);
  if (!hour || !minute || !second || *second >= kMinute) return std::nullopt;
  return *hour * kHour + *minute * kMinute + *second;
}

// Removes a time zone ("Z", "+01:00" or "-0530") from the end of a clock time, and returns its
// offset. If there is no zone, leaves the text as it is; only the inner optional of the result is
// then empty. Returns nullopt if the text after a '+' or '-' is not a zone.
std::optional<std::optional<int64_t>> TakeZone(std::string_view& clock) {
  using Zone = std::optional<int64_t>;
  if (clock.ends_with('Z')) {
    clock.remove_suffix(1);
    return Zone(0);
  }
  const size_t sign = clock.find_first_of("+-");
  if (sign == std::string_view::npos) return Zone();
  std::string_view zone = clock.substr(sign + 1);
  const bool has_colon = zone.size() == 5 && zone[2] == ':';
  if (!has_colon && zone.size() != 4) return std::nullopt;
  const std::optional<int> hours = ParsePart(zone.substr(0, 2), 0, 14);
  const std::optional<int> minutes = ParsePart(zone.substr(has_colon ? 3 : 2), 0, 59);
  if (!hours || !minutes) return std::nullopt;
  const int64_t nanos = *hours * kHour + *minutes * kMinute;
  const bool is_west = clock[sign] == '-';
  clock = clock.substr(0, sign);
  return Zone(is_west ? -nanos : nanos);
}

int DaysOf(int year, int month) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return kDays[month - 1] + (month == 2 && is_leap ? 1 : 0);
}

// Returns the time, in nanoseconds since 1970, at which a clock shows `nanos` after midnight on
// this day. The clock shows the time of the given zone or, if `zone_ns` is nullopt, the local time.
int64_t AtClock(int year, int month, int day, int64_t nanos,
                const std::optional<int64_t>& zone_ns) {
  tm parts{};
  parts.tm_year = year - 1900;
  parts.tm_mon = month - 1;
  parts.tm_mday = day;
  parts.tm_hour = static_cast<int>(nanos / kHour);
  parts.tm_min = static_cast<int>(nanos % kHour / kMinute);
  parts.tm_sec = static_cast<int>(nanos % kMinute / kSecond);
  parts.tm_isdst = -1;
  const time_t seconds = zone_ns ? timegm(&parts) : mktime(&parts);
  return static_cast<int64_t>(seconds) * kSecond + nanos % kSecond - zone_ns.value_or(0);
}

}  // namespace

Result<Moment> Moment::Parse(std::string_view text) {
  const std::string_view whole = text;
  Moment moment;
  const Error wrong(
      "'" + std::string(text) +
      "' is not a time: write 10s (after the start), 12:00:05 or 2026-11-23T12:00:05");
  if (text.find(':') == std::string_view::npos) {
    const std::optional<int64_t> elapsed = ParseElapsed(text);
    if (!elapsed) return wrong;
    moment.nanos_ = *elapsed;
    return moment;
  }
  moment.is_clock_ = true;
  const size_t between = text.find_first_of("T ");
  if (between != std::string_view::npos) {
    std::string_view date = TakeUpTo(text, text[between]);
    const std::optional<int> year = ParsePart(TakeUpTo(date, '-'), 1970, 2200);
    const std::optional<int> month = ParsePart(TakeUpTo(date, '-'), 1, 12);
    const std::optional<int> day = ParsePart(date, 1, 31);
    if (!year || !month || !day) return wrong;
    if (*day > DaysOf(*year, *month)) {
      return Error("'" + std::string(whole) + "' is not a time: there is no such day");
    }
    moment.date_ = Date{*year, *month, *day};
  }
  const auto zone_ns = TakeZone(text);
  const std::optional<int64_t> clock = ParseClock(text);
  if (!zone_ns || !clock) return wrong;
  moment.zone_ns_ = *zone_ns;
  moment.nanos_ = *clock;
  return moment;
}

int64_t Moment::In(int64_t begin_ns) const {
  if (!is_clock_) {
    int64_t sum = 0;
    return __builtin_add_overflow(begin_ns, nanos_, &sum) ? begin_ns : sum;
  }
  if (date_) return AtClock(date_->year, date_->month, date_->day, nanos_, zone_ns_);
  // `begin_ns` comes from a file and can be any number.
  const int64_t begin = std::clamp<int64_t>(begin_ns, 0, INT64_MAX / 2);
  const auto seconds = static_cast<time_t>((begin + zone_ns_.value_or(0)) / kSecond);
  tm parts{};
  zone_ns_ ? gmtime_r(&seconds, &parts) : localtime_r(&seconds, &parts);
  int64_t nearest = 0;
  for (const int day : {-1, 0, 1}) {
    const int64_t at =
        AtClock(parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday + day, nanos_, zone_ns_);
    if (day == -1 || std::llabs(at - begin) < std::llabs(nearest - begin)) nearest = at;
  }
  return nearest;
}

}  // namespace jprof::profile
