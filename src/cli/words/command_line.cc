#include "cli/words/command_line.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "cli/words/async_profiler.h"
#include "cli/words/help_texts.h"
#include "options/error_text.h"
#include "options/quantity.h"

namespace jprof {
namespace {

using Words = std::span<const char* const>;

bool IsOption(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

bool IsNumber(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

// True if the word is an amount with a unit: a size if `value` is "SIZE", otherwise an interval.
bool IsAmount(std::string_view word, std::string_view value) {
  if (IsNumber(word)) return false;
  return value == "SIZE" ? ParseByteSize(word).ok() : ParseInterval(word).ok();
}

CommandLine HelpLine(const std::string& text) {
  CommandLine line;
  line.arguments = {text};
  return line;
}

// OptionText: the name and the value in a word such as "--name=value", "-nvalue" or "-n=value".
struct OptionText {
  explicit OptionText(std::string_view word) {
    const size_t end = word.starts_with("--") ? std::min(word.find('='), word.size()) : 2;
    name = word.substr(0, end);
    if (end == word.size()) return;
    value = word.substr(end);
    if (value->front() == '=') value->remove_prefix(1);
  }

  std::string_view name;  // with its dashes
  std::optional<std::string_view> value;
};

bool Matches(const CliOptionSpec& spec, std::string_view word) {
  return word == "--" + std::string(spec.name) ||
         (!spec.letter.empty() && word == "-" + std::string(spec.letter));
}

// Returns the first command that has an option of this name; nullptr if there is none.
const CliCommandRow* CommandWith(std::string_view word) {
  for (const CliCommandRow& row : kCliCommands) {
    for (const CliOptionSpec& spec : OptionsOf(row.id)) {
      if (Matches(spec, word)) return &row;
    }
  }
  return nullptr;
}

bool AsksForHelp(Words words) {
  return std::ranges::any_of(
      words, [](std::string_view word) { return word == "--help" || word == "-h"; });
}

// Returns the words for jprof itself, without those of a command that it launches.
Words OwnWords(const CliCommandRow& row, Words words) {
  if (!LaunchesCommands(row.id)) return words;
  const auto end = std::ranges::find(words, std::string_view("--"),
                                     [](const char* word) { return std::string_view(word); });
  return words.first(static_cast<size_t>(end - words.begin()));
}

// CommandReader: reads the options and arguments of a command.
class CommandReader {
 public:
  CommandReader(const CliCommandRow& row, Words words)
      : row_(row), specs_(OptionsOf(row.id)), rest_(words) {
    line_.command = row.id;
  }

  Outcome<CommandLine> Read() {
    bool options_end = false;
    while (!rest_.empty()) {
      const std::string_view word = Next();
      if (!options_end && word == "--") {
        if (LaunchesCommands(row_.id)) return TakeLaunched();
        options_end = true;
      } else if (!options_end && IsOption(word)) {
        const Outcome<void> taken = TakeOption(OptionText(word));
        if (!taken) return taken.error();
      } else {
        line_.arguments.emplace_back(word);
      }
    }
    return CheckArguments();
  }

 private:
  std::string_view Next() {
    const std::string_view word = rest_.front();
    rest_ = rest_.subspan(1);
    return word;
  }

  const CliOptionSpec* Find(std::string_view word) const {
    const auto spec = std::ranges::find_if(
        specs_, [word](const CliOptionSpec& each) { return Matches(each, word); });
    return spec == specs_.end() ? nullptr : &*spec;
  }

  Outcome<void> TakeOption(const OptionText& text) {
    const CliOptionSpec* spec = Find(text.name);
    const AsyncProfilerOption* foreign = FindAsyncProfilerOption(text.name);
    if (spec == nullptr && foreign != nullptr && !foreign->ours.empty()) {
      spec = Find("--" + std::string(foreign->ours));
    }
    if (spec == nullptr) return Unknown(text.name, foreign);
    const std::string form = std::string(text.name) + " " + std::string(spec->value);
    std::optional<std::string_view> value = text.value;
    if (spec->IsSwitch()) {
      if (value)
        return UsageFailure(Quote(text.name) + " takes no value: leave out " + Quote(*value));
      return Keep(*spec, "");
    }
    if (!value && spec->bare == Bare::kNeedsValue) {
      if (rest_.empty() || IsOption(rest_.front())) {
        return UsageFailure(Quote(text.name) + " has no value: write " + form);
      }
      value = Next();
    } else if (!value && !rest_.empty() && IsAmount(rest_.front(), spec->value)) {
      value = Next();  // the next word is an amount with a unit, so it is not TARGET
    }
    if (value && value->empty()) {
      return UsageFailure(Quote(text.name) + " has an empty value: write " + form);
    }
    return Keep(*spec, std::string(value.value_or("")));
  }

  Outcome<void> Keep(const CliOptionSpec& spec, const std::string& value) {
    const auto advice = AsyncProfilerValueAdvice(spec.name, value);
    if (advice) return UsageFailure(*advice);
    const std::string name(spec.name);
    const auto [kept, is_new] = line_.options.emplace(name, value);
    if (is_new) return {};
    if (spec.value == "PLACES") {
      kept->second += ":" + value;
      return {};
    }
    const std::string several =
        spec.value == "EVENTS" ? "--event " + kept->second + "," + value : "";
    if (spec.IsSwitch()) return UsageFailure("--" + name + " is given twice: leave out one");
    return UsageFailure("--" + name + " is given twice, " + Quote(kept->second) + " and " +
                        Quote(value) +
                        (several.empty() ? ": leave out one" : ": write " + several));
  }

  Failure Unknown(std::string_view word, const AsyncProfilerOption* foreign) const {
    const std::string command = "jprof " + std::string(row_.name);
    const std::string unknown = command + " has no option " + Quote(word);
    if (specs_.empty()) return UsageFailure(unknown + ": it takes none");
    if (foreign != nullptr && foreign->ours.empty()) {
      return UsageFailure(unknown + ": " + std::string(foreign->advice));
    }
    if (const CliCommandRow* other = CommandWith(word)) {
      return UsageFailure(unknown + ", which is one of jprof " + std::string(other->name));
    }
    std::vector<std::string> names;
    for (const CliOptionSpec& spec : specs_) names.push_back("--" + std::string(spec.name));
    const auto nearest = NearestName(word, {names.begin(), names.end()});
    return UsageFailure(unknown + (nearest ? ": did you mean " + Quote(*nearest) + "?"
                                           : ": " + command + " --help lists them"));
  }

  Outcome<CommandLine> TakeLaunched() {
    if (rest_.empty()) return UsageFailure("COMMAND is missing after --: write " + UsageOf(row_));
    const std::optional<CliOption> option = TargetOptionIn(line_);
    if (option) return UsageFailure("give either " + Given(*option) + " or -- COMMAND...");
    if (!line_.arguments.empty()) {
      return UsageFailure(UnexpectedArgument(line_.arguments.front()) +
                          ": give either a TARGET or -- COMMAND...");
    }
    line_.launched.assign(rest_.begin(), rest_.end());
    return line_;
  }

  std::string Given(CliOption option) const {
    const std::string name(NameOf(option));
    return "--" + name + " " + Quote(line_.options.at(name));
  }

  Failure Missing(const std::string& argument) const {
    return UsageFailure(argument + " is missing (" + HelpOnArgument(argument) + "): write " +
                        UsageOf(row_));
  }

  // Puts the value of --container or --pod into the place of the argument TARGET or SOURCE.
  Outcome<void> PlaceTarget(const std::vector<CliArgument>& wanted) {
    const std::optional<CliOption> option = TargetOptionIn(line_);
    if (!option) return {};
    if (*option == CliOption::kContainer && line_.Has(NameOf(CliOption::kPod))) {
      return UsageFailure("give either " + Given(*option) + " or " + Given(CliOption::kPod) +
                          ": --container takes POD/NAME too");
    }
    const bool is_first = wanted.front().name == "TARGET";
    std::vector<std::string>& given = line_.arguments;
    // A METHOD has a '.', and no view and no TYPE is a number, so this argument is a TARGET.
    const auto number = std::ranges::find_if(given, IsNumber);
    const bool has_target = is_first && !wanted.back().is_repeated && !given.empty();
    if (has_target || number != given.end()) {
      const std::string& target = has_target ? given.front() : *number;
      return UsageFailure(UnexpectedArgument(target) + ": give either a " +
                          (is_first ? "TARGET" : "SOURCE") + " or " + Given(*option));
    }
    if (!is_first && given.empty()) return Missing(wanted.front().name);
    const std::string value = line_.options.at(std::string(NameOf(*option)));
    given.insert(is_first ? given.begin() : given.end(), value);
    return {};
  }

  Outcome<CommandLine> CheckArguments() {
    const std::vector<CliArgument> wanted = ArgumentsOf(row_);
    const Outcome<void> placed = PlaceTarget(wanted);
    if (!placed) return placed.error();
    std::vector<CliArgument> required = wanted;
    std::erase_if(required, [](const CliArgument& each) { return each.is_optional; });
    const size_t given = line_.arguments.size();
    const bool has_any_number = std::ranges::any_of(wanted, &CliArgument::is_repeated);
    if (given > wanted.size() && !has_any_number) {
      return UsageFailure(UnexpectedArgument(line_.arguments[wanted.size()]) + ": write " +
                          UsageOf(row_));
    }
    if (given < required.size()) return Missing(required[given].name);
    return line_;
  }

  const CliCommandRow& row_;
  const std::vector<CliOptionSpec> specs_;
  Words rest_;
  CommandLine line_;
};

// Returns the error for a word that is not a command.
Failure NoCommand(std::string_view word, Words words) {
  const AsyncProfilerCommand* foreign = FindAsyncProfilerCommand(word);
  if (foreign != nullptr) {
    return UsageFailure("there is no command " + Quote(word) + ": " + std::string(foreign->advice));
  }
  const bool is_records = CommandWith(OptionText(word).name) != nullptr ||
                          FindAsyncProfilerOption(OptionText(word).name) != nullptr;
  if (IsNumber(word) || (IsOption(word) && is_records)) {
    std::string line = "jprof record";
    for (const std::string_view each : words) line += " " + std::string(each);
    return UsageFailure("the command is missing before " + Quote(word) + ": write " + line);
  }
  return UsageFailure(UnknownName("command", word, NamesOf(kCliCommands)));
}

Outcome<CommandLine> HelpOn(const CommandLine& line) {
  if (line.arguments.empty()) return HelpLine(ProgramHelp());
  const std::string& name = line.arguments.front();
  const CliCommandRow* row = FindByName(kCliCommands, name);
  if (row == nullptr) return UsageFailure(UnknownName("command", name, NamesOf(kCliCommands)));
  return HelpLine(CommandHelp(*row));
}

// The longest time that an option can have. It is a day shorter than the agent's longest timeout,
// because `jprof record` gives the agent a timeout that is a little longer than --duration.
constexpr Nanos kLongestTime = Nanos{364} * 24 * 3600 * kNanosPerSecond;

}  // namespace

std::optional<CliOption> TargetOptionIn(const CommandLine& line) {
  for (const CliOption option : kTargetOptions) {
    if (line.Has(NameOf(option))) return option;
  }
  return std::nullopt;
}

std::string UnexpectedArgument(std::string_view argument) {
  return "unexpected argument " + Quote(argument);
}

std::string CommandLine::Value(CliOption option) const {
  const auto given = options.find(std::string(NameOf(option)));
  return given != options.end() ? given->second : std::string(DefaultOf(option));
}

Outcome<CommandLine> ParseCommandLine(int argc, const char* const* argv) {
  const Words words = Words(argv, static_cast<size_t>(argc)).subspan(1);
  if (words.empty()) {
    return UsageFailure("the command is missing, one of " + Join(NamesOf(kCliCommands)) +
                        ": jprof help explains them");
  }
  std::string_view name = words.front();
  const AsyncProfilerCommand* foreign = FindAsyncProfilerCommand(name);
  if (foreign != nullptr && !foreign->command.empty()) name = foreign->command;
  const CliCommandRow* row = FindByName(kCliCommands, name);
  if (row == nullptr) return NoCommand(name, words);
  const Words rest = words.subspan(1);
  if (AsksForHelp(OwnWords(*row, rest))) return HelpLine(CommandHelp(*row));
  Outcome<CommandLine> line = CommandReader(*row, rest).Read();
  return line && row->id == CliCommand::kHelp ? HelpOn(line.value()) : line;
}

Outcome<Nanos> TimeOption(const CommandLine& line, CliOption option) {
  const std::string text = line.Value(option);
  const std::string word = Quote("--" + std::string(NameOf(option)) + " " + text);
  const Result<Nanos> time = ParseDuration(text);
  if (!time) return Failure(FailureKind::kUsage, word + " " + time.error().message());
  if (time.value() <= 0) {
    return Failure(FailureKind::kUsage,
                   "--" + std::string(NameOf(option)) + " must be greater than 0");
  }
  if (time.value() > kLongestTime) {
    return Failure(FailureKind::kUsage, word + " is longer than a year");
  }
  return time.value();
}

}  // namespace jprof
