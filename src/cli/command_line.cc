#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>

#include "session/options/wording.h"

namespace jprof {
namespace {

std::vector<std::string> Words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), {}};
}

// CLI11's own sentences are kept; its exit codes are not.
class Parser {
 public:
  Parser() {
    app_.name("jprof");
    app_.require_subcommand(1);
    for (const CliCommandRow& row : kCliCommands) Add(row);
  }

  Outcome<CommandLine> Parse(int argc, const char* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      return HelpOn(*Innermost());
    } catch (const CLI::ParseError& error) {
      return Failure(FailureKind::kUsage, UsageOf(error, argc, argv));
    }
    for (const std::unique_ptr<Entry>& entry : entries_) {
      if (entry->app->parsed()) return Take(*entry);
    }
    return Failure(FailureKind::kUsage, "no command");
  }

  std::string Help() const { return app_.help(); }

 private:
  struct Entry {
    CliCommand command;
    CLI::App* app;
    std::vector<std::string> arguments;
    std::map<std::string, std::string> options;
  };

  void Add(const CliCommandRow& row) {
    entries_.push_back(std::make_unique<Entry>());
    Entry& entry = *entries_.back();
    entry.command = row.id;
    entry.app = app_.add_subcommand(std::string(row.name), std::string(row.help));
    const std::vector<std::string> arguments = Words(row.arguments);
    entry.arguments.resize(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      entry.app->add_option(arguments[i], entry.arguments[i], HelpOnArgument(arguments[i]))
          ->required()
          ->option_text(" ");
    }
    for (const CliOptionSpec& spec : OptionsOf(row.id)) AddOption(entry, spec);
  }

  static std::string HelpOnArgument(const std::string& argument) {
    if (argument == "TARGET") return "a pid, or the name of a main class or jar";
    if (argument == "SHELL") return "bash, zsh or fish";
    if (argument == "IN") return "a recording (.jfr)";
    return "the result: .html (flame graph) or .collapsed";
  }

  static void AddOption(Entry& entry, const CliOptionSpec& spec) {
    std::string names = spec.letter.empty() ? "" : "-" + std::string(spec.letter) + ",";
    names += "--" + std::string(spec.name);
    std::string help(spec.help);
    if (!spec.default_text.empty()) help += " (default " + std::string(spec.default_text) + ")";
    const auto keep = [&entry, name = std::string(spec.name)](const CLI::results_t& results) {
      entry.options[name] = results.empty() || results[0] == "{}" ? "" : results[0];
      return true;
    };
    CLI::Option* option = entry.app->add_option(names, keep, help);
    option->type_name(std::string(spec.value))->type_size(1);
    option->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    if (spec.bare == Bare::kMayBeBare) option->expected(0, 1);
  }

  CLI::App* Innermost() {
    for (const std::unique_ptr<Entry>& entry : entries_) {
      if (entry->app->parsed()) return entry->app;
    }
    return &app_;
  }

  static CommandLine HelpOn(const CLI::App& app) {
    CommandLine line;
    line.arguments = {app.get_parent() == nullptr ? app.help() : app.help("jprof")};
    return line;
  }

  static CommandLine Take(const Entry& entry) {
    CommandLine line;
    line.command = entry.command;
    line.arguments = entry.arguments;
    line.options = entry.options;
    return line;
  }

  std::string UsageOf(const CLI::ParseError& error, int argc, const char* const* argv) {
    const std::vector<std::string_view> names = NamesOf(kCliCommands);
    const std::string_view first = argc > 1 ? argv[1] : "";
    if (!first.empty() && first[0] != '-' && FindByName(kCliCommands, first) == nullptr) {
      return UnknownName("command", first, names);
    }
    const CLI::App* app = Innermost();
    std::string command = app == &app_ ? "jprof" : "jprof " + app->get_name();
    std::string text = error.what();
    return text.substr(0, text.find('\n')) + " (" + command + " --help shows what there is)";
  }

  CLI::App app_{"Profiles Java programs that are running."};
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace

std::string CommandLine::Value(CliOption option) const {
  const auto given = options.find(std::string(NameOf(option)));
  return given != options.end() ? given->second : std::string(DefaultOf(option));
}

Outcome<CommandLine> ReadCommandLine(int argc, const char* const* argv) {
  return Parser().Parse(argc, argv);
}

std::string CliHelpText() { return Parser().Help(); }

}  // namespace jprof
