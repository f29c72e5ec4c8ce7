#include "cli/agent_options.h"

#include <utility>
#include <vector>

#include "session/options/duration.h"
#include "session/options/given_words.h"
#include "session/options/options.h"
#include "session/options/wording.h"

namespace jprof {
namespace {

using WordValue = GivenWords::Value;

// A day less than the agent's longest timeout, by which a recording ends without us.
constexpr Nanos kLongestTime = Nanos{364} * 24 * 3600 * kNanosPerSecond;

// Of an option that is there, with "" for one without value.
WordValue ValueOf(const std::string& text) { return text.empty() ? WordValue() : WordValue(text); }

}  // namespace

Outcome<std::string> AgentStartOptions(const CommandLine& line, const std::string& file) {
  std::vector<std::pair<OptionId, WordValue>> given;
  // An engine that is named by its own option alone needs no event.
  if (line.Has(NameOf(CliOption::kEvent))) {
    given.emplace_back(OptionId::kEvent, line.Value(CliOption::kEvent));
  }
  if (line.Has(NameOf(CliOption::kInterval))) {
    given.emplace_back(OptionId::kInterval, line.Value(CliOption::kInterval));
  }
  for (const OptionRow* row : AgentOptionsOf(line.command)) {
    const auto option = line.options.find(std::string(row->name));
    if (option != line.options.end()) given.emplace_back(row->id, ValueOf(option->second));
  }
  if (!file.empty()) given.emplace_back(OptionId::kFile, file);
  const Result<GivenWords> words = GivenWords::OfCommandLine(Command::kStart, given);
  if (!words) return Failure(FailureKind::kUsage, words.error());
  const Result<Options> understood = ParseOptions(words.value());
  if (!understood) return Failure(FailureKind::kUsage, understood.error());
  return words.value().AsOptionString();
}

Outcome<Nanos> TimeOption(const CommandLine& line, CliOption option) {
  const std::string text = line.Value(option);
  const std::string word = Quote("--" + std::string(NameOf(option)) + " " + text);
  const Result<Nanos> time = ParseDuration(text);
  if (!time) return Failure(FailureKind::kUsage, word + " " + time.error().message());
  if (time.value() <= 0) {
    return Failure(FailureKind::kUsage, word + " is no time at all: write " +
                                            std::string(DefaultOf(option)) + ", or another time");
  }
  if (time.value() > kLongestTime) {
    return Failure(FailureKind::kUsage, word + " is longer than a year");
  }
  return time.value();
}

}  // namespace jprof
