#include "options/output_part.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/state_text.h"
#include "base/thread_filter.h"
#include "options/error_text.h"
#include "options/option_table.h"
#include "options/quantity.h"

namespace jprof {
namespace {

std::string TextOf(const ParsedArguments& words, OptionId option) {
  return std::string(words.ValueOf(option).value_or(""));
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

// Fails if until= is not after from=. REQUIRES: CheckTimes has succeeded.
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
  std::vector<std::string> known;
  std::string names;
  for (const std::string_view name : ThreadStateNames()) {
    known.push_back(StateText(name));
    names += (names.empty() ? "" : ", ") + known.back();
  }
  const std::vector<std::string> given = ParseStates(states);
  for (const std::string& state : given) {
    const bool is_known =
        std::ranges::any_of(known, [&state](const auto& each) { return each.starts_with(state); });
    if (!is_known) return Error("names no state " + Quote(state) + ": there are " + names);
  }
  return given.empty() ? Error("names no state: there are " + names) : Status();
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
  if (status) status = words.ReadSwitch(OptionId::kReverse, &part->reverse);
  if (status) status = words.ReadSwitch(OptionId::kLines, &part->lines);
  if (!status) return status;
  part->thread = TextOf(words, OptionId::kThread);
  part->state = TextOf(words, OptionId::kState);
  part->from = TextOf(words, OptionId::kFrom);
  part->until = TextOf(words, OptionId::kUntil);
  part->total = TextOf(words, OptionId::kTotal);
  if (!part->total.empty() && part->total != "samples" && part->total != "value") {
    return Error(Quote(words.Word(OptionId::kTotal)) + std::string(kNotATotal));
  }
  for (const OptionId option : kPartOptions) {
    if (words.Has(option) && part->first_word.empty()) part->first_word = words.Word(option);
  }
  return {};
}

}  // namespace jprof
