#include "cli/words/agent_options.h"

#include "options/error_text.h"
#include "options/option_table.h"
#include "options/options.h"
#include "options/parsed_arguments.h"

namespace jprof {
namespace {

using ArgumentValue = ParsedArguments::Value;

// Returns the value of a given option; "" stands for an option without a value.
ArgumentValue ValueOf(const std::string& text) {
  return text.empty() ? ArgumentValue() : ArgumentValue(text);
}

// Fails with kUsage if --gc is given without --live, because --gc is useful only for live objects.
Outcome<void> CheckGc(const CommandLine& line) {
  if (!line.Has(NameOf(CliOption::kGc))) return {};
  const auto live = line.options.find(std::string(RowOf(OptionId::kLive).name));
  if (live != line.options.end() && live->second != "0") return {};
  return Failure(FailureKind::kUsage, "--gc is for live objects: add --live");
}

}  // namespace

Outcome<std::string> StartString(const AgentOptions& options) {
  const Result<ParsedArguments> arguments =
      ParsedArguments::FromCommandLine(Command::kStart, options);
  if (!arguments) return Failure(FailureKind::kUsage, arguments.error());
  const Result<Options> parsed = ParseOptions(arguments.value());
  if (!parsed) return Failure(FailureKind::kUsage, parsed.error());
  return arguments.value().AsOptionString();
}

Outcome<std::string> AgentStartOptions(const CommandLine& line, const std::string& file) {
  AgentOptions given;
  // Passes --event on only if the user gave it. Its default would start the cpu engine in addition
  // to an engine that the user selected by an option of its own, such as --wall.
  if (line.Has(NameOf(CliOption::kEvent))) {
    given.emplace_back(OptionId::kEvent, line.Value(CliOption::kEvent));
  }
  if (line.Has(NameOf(CliOption::kInterval))) {
    given.emplace_back(OptionId::kInterval, line.Value(CliOption::kInterval));
  }
  if (line.command == CliCommand::kValidate) {
    const bool is_of_samples = line.Has(NameOf(CliOption::kValidatedEvent));
    given.emplace_back(is_of_samples ? OptionId::kExact : OptionId::kValidate,
                       line.Value(CliOption::kMethods));
  }
  for (const OptionRow* row : AgentOptionsOf(line.command)) {
    const auto option = line.options.find(std::string(row->name));
    if (option != line.options.end()) given.emplace_back(row->id, ValueOf(option->second));
  }
  if (!file.empty()) given.emplace_back(OptionId::kFile, file);
  Outcome<std::string> start = StartString(given);
  if (!start) return start;
  const Outcome<void> gc = CheckGc(line);
  if (!gc) return gc.error();
  return start;
}

std::string WithFile(const std::string& start, const std::string& file) {
  return start + ',' + std::string(RowOf(OptionId::kFile).name) + '=' + QuotedValue(file);
}

std::string WithLease(const std::string& command, const std::optional<Lease>& lease) {
  if (!lease) return command;
  return command + ',' + std::string(RowOf(OptionId::kLease).name) + '=' +
         QuotedValue(lease->path());
}

std::string WithGc(const CommandLine& line, const std::string& command) {
  return line.Has(NameOf(CliOption::kGc)) ? command + ",gc" : command;
}

}  // namespace jprof
