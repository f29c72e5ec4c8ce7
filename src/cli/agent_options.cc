#include "cli/agent_options.h"

#include "session/options/duration.h"
#include "session/options/options.h"
#include "session/options/wording.h"

namespace jprof {
namespace {

std::string WithValue(std::string_view name, const std::string& value) {
  return "," + std::string(name) + (value.empty() ? "" : "=" + value);
}

}  // namespace

Outcome<std::string> AgentStartOptions(const CommandLine& line, const std::string& file) {
  std::string options(RowOf(Command::kStart).name);
  // An engine that is named by its own option alone needs no event.
  if (line.Has(NameOf(CliOption::kEvent))) {
    options += WithValue(RowOf(OptionId::kEvent).name, line.Value(CliOption::kEvent));
  }
  if (line.Has(NameOf(CliOption::kInterval))) {
    options += WithValue(RowOf(OptionId::kInterval).name, line.Value(CliOption::kInterval));
  }
  for (const OptionRow* row : AgentOptionsOf(line.command)) {
    const auto given = line.options.find(std::string(row->name));
    if (given != line.options.end()) options += WithValue(row->name, given->second);
  }
  if (!file.empty()) options += WithValue(RowOf(OptionId::kFile).name, file);
  const Result<Options> understood = ParseOptions(options);
  if (!understood) return Failure(FailureKind::kUsage, understood.error());
  return options;
}

Outcome<Nanos> TimeOption(const CommandLine& line, CliOption option) {
  const std::string text = line.Value(option);
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) {
    return Failure(FailureKind::kUsage, "--" + std::string(NameOf(option)) + " " + Quote(text) +
                                            " has no unit: write " + Quote(text + "s"));
  }
  const Result<Nanos> time = ParseDuration(text);
  if (!time) {
    return Failure(FailureKind::kUsage, "--" + std::string(NameOf(option)) + " " + Quote(text) +
                                            " " + time.error().message());
  }
  if (time.value() <= 0) {
    return Failure(FailureKind::kUsage, "--" + std::string(NameOf(option)) + " " + Quote(text) +
                                            " is no time to wait: give 1s or more");
  }
  return time.value();
}

}  // namespace jprof
