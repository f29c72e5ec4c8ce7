#include "session/options/output_part.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/thread_filter.h"
#include "session/options/duration.h"
#include "session/options/error_text.h"
#include "session/options/option_table.h"

namespace jprof {
namespace {

std::string TextOf(const ParsedArguments& words, OptionId option) {
  return std::string(words.ValueOf(option).value_or(""));
}

// The word alone means 1.
Status ReadSwitch(const ParsedArguments& words, OptionId option, bool* value) {
  if (!words.Has(option)) return {};
  const auto text = words.ValueOf(option).value_or("1");
  if (text != "0" && text != "1") {
    return Error(Quote(words.Word(option)) + " is neither 0 nor 1");
  }
  *value = text == "1";
  return {};
}

Status CheckTimes(const ParsedArguments& words) {
  for (const OptionId option : {OptionId::kFrom, OptionId::kUntil}) {
    if (!words.Has(option)) continue;
    const Result<Nanos> time = ParseDuration(*words.ValueOf(option));
    if (!time) return Error(Quote(words.Word(option)) + " " + time.error().message());
  }
  return {};
}

Status CheckThreads(const ParsedArguments& words) {
  if (!words.Has(OptionId::kThread)) return {};
  const Result<ThreadFilter> threads = ThreadFilter::Parse(*words.ValueOf(OptionId::kThread));
  if (threads) return {};
  return Error(Quote(words.Word(OptionId::kThread)) + " " + threads.error().message());
}

// As profile/state_text.h has those of recording/jfr/constant_pools.cc.
constexpr std::string_view kStates[] = {
    "running", "runnable",       "waiting-for-cpu",          "sleeping",
    "parked",  "in-object-wait", "blocked-on-monitor-enter", "in-io",
    "unknown", "default"};

// "STATE_IN_IO" and "in io" as "in-io".
std::string StateOf(std::string_view text) {
  std::string state;
  for (const char c : text) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    state += is_upper ? static_cast<char>(c - 'A' + 'a') : c == '_' || c == ' ' ? '-' : c;
  }
  constexpr std::string_view kPrefix = "state-";
  return state.starts_with(kPrefix) ? state.substr(kPrefix.size()) : state;
}

// REQUIRES: CheckTimes.
Status CheckWindow(const ParsedArguments& words) {
  const auto time_of = [&words](OptionId option) {
    return words.Has(option) ? ParseDuration(*words.ValueOf(option)).value() : Nanos{0};
  };
  if (!words.Has(OptionId::kUntil) || time_of(OptionId::kUntil) > time_of(OptionId::kFrom)) {
    return {};
  }
  const bool has_from = words.Has(OptionId::kFrom);
  return Error(Quote(words.Word(OptionId::kUntil)) + " is not after " +
               (has_from ? Quote(words.Word(OptionId::kFrom)) : "the begin of the recording"));
}

}  // namespace

Status CheckStates(std::string_view states) {
  std::string names;
  for (const std::string_view known : kStates) {
    if (known != "default") names += (names.empty() ? "" : ", ") + std::string(known);
  }
  bool has_one = false;
  while (!states.empty()) {
    const std::string_view text = states.substr(0, states.find_first_of("+,"));
    states.remove_prefix(std::min(text.size() + 1, states.size()));
    if (text.empty()) continue;
    has_one = true;
    const std::string state = StateOf(text);
    const bool is_known = std::ranges::any_of(
        kStates, [&state](std::string_view known) { return known.starts_with(state); });
    if (!is_known) return Error("names no state " + Quote(text) + ": there are " + names);
  }
  return has_one ? Status() : Error("names no state: there are " + names);
}

Status ReadOutputPart(const ParsedArguments& words, OutputPart* part) {
  Status status = CheckThreads(words);
  if (status) status = CheckTimes(words);
  if (status) status = CheckWindow(words);
  if (status && words.Has(OptionId::kState)) {
    const Status states = CheckStates(*words.ValueOf(OptionId::kState));
    if (!states) {
      return Error(Quote(words.Word(OptionId::kState)) + " " + states.error().message());
    }
  }
  if (status) status = ReadSwitch(words, OptionId::kReverse, &part->reverse);
  if (status) status = ReadSwitch(words, OptionId::kLines, &part->lines);
  if (!status) return status;
  part->thread = TextOf(words, OptionId::kThread);
  part->state = TextOf(words, OptionId::kState);
  part->from = TextOf(words, OptionId::kFrom);
  part->until = TextOf(words, OptionId::kUntil);
  part->total = TextOf(words, OptionId::kTotal);
  if (!part->total.empty() && part->total != "samples" && part->total != "value") {
    return Error(Quote(words.Word(OptionId::kTotal)) + " is neither samples nor value");
  }
  for (const OptionId option : kPartOptions) {
    if (words.Has(option) && part->first_word.empty()) part->first_word = words.Word(option);
  }
  return {};
}

}  // namespace jprof
