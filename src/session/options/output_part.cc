#include "session/options/output_part.h"

#include <string>

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

}  // namespace

Status ReadOutputPart(const ParsedArguments& words, OutputPart* part) {
  Status status = CheckThreads(words);
  if (status) status = CheckTimes(words);
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
