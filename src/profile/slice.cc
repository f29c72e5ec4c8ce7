#include "profile/slice.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/state_text.h"
#include "sigsafe/base/check.h"

namespace jprof::profile {
namespace {

Error Wrong(std::string_view option, const std::string& value, const std::string& reason) {
  return Error("--" + std::string(option) + " '" + value + "' " + reason);
}

Result<std::optional<Moment>> ParseMoment(std::string_view option, const std::string& text) {
  if (text.empty()) return std::optional<Moment>();
  const Result<Moment> moment = Moment::Parse(text);
  if (!moment) return Error("--" + std::string(option) + ": " + moment.error().message());
  return std::optional(moment.value());
}

// Parses the id of a span. Programs and tracers write it in decimal, with or without a sign, or in
// hexadecimal.
std::optional<int64_t> ParseSpan(std::string_view text) {
  constexpr size_t kIdDigits = 16;
  constexpr std::string_view kBaseDigits = "0123456789abcdef";
  const bool is_negative = text.starts_with('-');
  uint64_t base = text.size() == kIdDigits ? 16 : 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  } else if (is_negative) {
    text.remove_prefix(1);
    base = 10;
  }
  uint64_t number = 0;
  for (const char c : text) {
    const size_t digit = kBaseDigits.substr(0, base).find(c);
    uint64_t shifted = 0;
    if (digit == std::string_view::npos || __builtin_mul_overflow(number, base, &shifted) ||
        __builtin_add_overflow(shifted, digit, &number)) {
      return std::nullopt;
    }
  }
  if (text.empty()) return std::nullopt;
  return static_cast<int64_t>(is_negative ? 0 - number : number);
}

}  // namespace

// If `from` and `until` both count from the start of a recording, checks that `until` is after
// `from`. If `from` is absent, it is the start. All other pairs are checked by BeginOf
// (read_slices.cc), which knows when the recordings start.
Status Slice::CheckOrder(const SliceOptions& options) const {
  const bool are_relative = until_ && until_->IsRelative() && (!from_ || from_->IsRelative());
  if (!are_relative || until_->In(0) > (from_ ? from_->In(0) : 0)) return {};
  return Wrong("until", options.until,
               from_ ? "is not after --from '" + options.from + "'"
                     : "is not after the begin of the recording");
}

Result<Slice> Slice::Parse(const SliceOptions& options, FrameTest include, FrameTest exclude) {
  Slice slice;
  slice.options_ = options;
  Result<ThreadFilter> threads = ThreadFilter::Parse(options.thread);
  if (!options.thread.empty()) {
    if (!threads) return Wrong("thread", options.thread, threads.error().message());
    slice.threads_ = std::move(threads).value();
  }
  slice.states_ = ParseStates(options.state);
  if (slice.states_.empty() && !options.state.empty()) {
    return Wrong("state", options.state, "names no state");
  }
  const auto from = ParseMoment("from", options.from);
  if (!from) return from.error();
  const auto until = ParseMoment("until", options.until);
  if (!until) return until.error();
  slice.from_ = from.value();
  slice.until_ = until.value();
  const Status ordered = slice.CheckOrder(options);
  if (!ordered) return ordered.error();
  slice.span_ = options.span.empty() ? std::nullopt : ParseSpan(options.span);
  if (!slice.span_ && !options.span.empty()) {
    return Wrong("span", options.span, "is not an id: write a number, or 16 hexadecimal digits");
  }
  if (!options.tag.empty() &&
      (options.tag.front() == '=' || options.tag.find('=') == std::string::npos)) {
    return Wrong("tag", options.tag, "is not NAME=VALUE");
  }
  JPROF_CHECK(static_cast<bool>(include) == !options.include.empty());
  JPROF_CHECK(static_cast<bool>(exclude) == !options.exclude.empty());
  slice.include_ = std::move(include);
  slice.exclude_ = std::move(exclude);

  const std::pair<std::string_view, const std::string*> given[] = {
      {"event", &options.event}, {"thread", &options.thread},   {"state", &options.state},
      {"from", &options.from},   {"until", &options.until},     {"span", &options.span},
      {"tag", &options.tag},     {"include", &options.include}, {"exclude", &options.exclude},
  };
  for (const auto& [name, value] : given) {
    if (!value->empty()) slice.texts_.push_back("--" + std::string(name) + " " + *value);
  }
  if (options.reverse) slice.texts_.push_back("--reverse");
  return slice;
}

Interval Slice::WindowFrom(int64_t begin_ns) const {
  return {from_ ? from_->In(begin_ns) : std::numeric_limits<int64_t>::min(),
          until_ ? until_->In(begin_ns) : std::numeric_limits<int64_t>::max()};
}

bool Slice::HasThread(int64_t id, std::string_view os_name, std::string_view java_name) const {
  const bool is_tid = id >= 0 && id <= std::numeric_limits<int32_t>::max();
  return threads_.Matches(is_tid ? static_cast<int32_t>(id) : -1, os_name, java_name);
}

bool Slice::HasState(std::string_view jfr_name) const {
  const std::string text = StateText(jfr_name);
  return states_.empty() || std::any_of(states_.begin(), states_.end(), [&](const auto& state) {
           return !text.empty() && text.starts_with(state);
         });
}

bool Slice::HasTag(std::string_view key, std::string_view value) const {
  const std::string_view name = tag_name();
  return name == key && std::string_view(options_.tag).substr(name.size() + 1) == value;
}

bool Slice::MatchesInclude(const std::string& frame) const { return !include_ || include_(frame); }

bool Slice::MatchesExclude(const std::string& frame) const { return exclude_ && exclude_(frame); }

}  // namespace jprof::profile
