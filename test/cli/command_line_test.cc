#include "cli/words/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "cli/doc/cli_markdown.h"
#include "cli/words/agent_options.h"
#include "cli/words/async_profiler.h"
#include "cli/words/help_texts.h"
#include "options/help_text.h"
#include "views/view_table.h"

namespace jprof {
namespace {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;

Outcome<CommandLine> Read(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "jprof");
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
}

std::string AgentString(std::vector<const char*> arguments, const std::string& file) {
  const Outcome<CommandLine> line = Read(std::move(arguments));
  if (!line) return "command line: " + line.error().message();
  const Outcome<std::string> options = AgentStartOptions(line.value(), file);
  return options ? options.value() : options.error().message();
}

TEST(CommandLineTest, AcceptsOptionsBeforeAndAfterTheTarget) {
  for (const auto& arguments : {std::vector<const char*>{"record", "-d", "5s", "-e", "wall", "42"},
                                {"record", "42", "--duration", "5s", "--event=wall"}}) {
    const Outcome<CommandLine> line = Read(arguments);
    ASSERT_TRUE(line.ok()) << line.error().message();
    EXPECT_EQ(line.value().command, CliCommand::kRecord);
    EXPECT_THAT(line.value().arguments, ElementsAre("42"));
    EXPECT_EQ(line.value().Value(CliOption::kDuration), "5s");
    EXPECT_EQ(line.value().Value(CliOption::kEvent), "wall");
    EXPECT_FALSE(line.value().Has("output"));
  }
}

TEST(CommandLineTest, TakesWordsAfterTwoDashesAsTheCommandOfRecord) {
  const Outcome<CommandLine> line =
      Read({"record", "-d", "5s", "--", "java", "-d", "--help", "--"});
  ASSERT_TRUE(line.ok()) << line.error().message();
  EXPECT_THAT(line.value().launched, ElementsAre("java", "-d", "--help", "--"));
  EXPECT_THAT(line.value().arguments, ElementsAre());
  EXPECT_EQ(line.value().Value(CliOption::kDuration), "5s");
}

TEST(CommandLineTest, AContainerOrPodStandsInPlaceOfTheTarget) {
  const auto arguments = [](std::vector<const char*> words) {
    const Outcome<CommandLine> line = Read(std::move(words));
    return line ? line.value().arguments : std::vector<std::string>{line.error().message()};
  };
  for (const char* command : {"record", "start", "stop", "dump", "status", "validate"}) {
    EXPECT_THAT(arguments({command, "--container", "web"}), ElementsAre("web")) << command;
    EXPECT_THAT(arguments({command, "--pod=shop"}), ElementsAre("shop")) << command;
  }
  EXPECT_THAT(arguments({"trace", "--container", "web", "a.B.c", "a.D.*"}),
              ElementsAre("web", "a.B.c", "a.D.*"));
  EXPECT_THAT(arguments({"view", "hot", "--pod", "shop"}), ElementsAre("hot", "shop"));
  EXPECT_THAT(arguments({"view", "events", "jdk.X", "--pod", "shop"}),
              ElementsAre("events", "jdk.X", "shop"));
}

TEST(CommandLineTest, RefusesASecondTargetBesideAContainerOrPod) {
  const std::pair<std::vector<const char*>, const char*> cases[] = {
      {{"record", "--container", "web", "42"},
       "unexpected argument '42': give either a TARGET or --container 'web'"},
      {{"stop", "Shop", "--pod", "shop"},
       "unexpected argument 'Shop': give either a TARGET or --pod 'shop'"},
      {{"trace", "--pod", "shop", "42", "a.B.c"},
       "unexpected argument '42': give either a TARGET or --pod 'shop'"},
      {{"view", "hot", "42", "--pod", "shop"},
       "unexpected argument '42': give either a SOURCE or --pod 'shop'"},
      {{"status", "--pod", "shop", "--container", "web"},
       "give either --container 'web' or --pod 'shop'"},
      {{"record", "--container", "web", "--", "java"},
       "give either --container 'web' or -- COMMAND..."},
      {{"trace", "--container", "web"}, "METHOD is missing"},
      {{"view", "--container", "web"}, "NAME is missing"},
      {{"list", "--container", "web"}, "jprof list has no option '--container'"},
  };
  for (const auto& [words, message] : cases) {
    const Outcome<CommandLine> line = Read(words);
    ASSERT_FALSE(line.ok()) << message;
    EXPECT_EQ(line.error().kind(), FailureKind::kUsage);
    EXPECT_THAT(line.error().message(), HasSubstr(message));
    EXPECT_EQ(line.error().message().find('\n'), std::string::npos);
  }
}

TEST(CommandLineTest, MissingOptionsHaveTheDefaultOfTheTable) {
  const Outcome<CommandLine> line = Read({"record", "42"});
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line.value().Value(CliOption::kDuration), "10s");
  EXPECT_FALSE(line.value().Has("duration"));
}

TEST(CommandLineTest, RefusesInvalidCommandLines) {
  const std::vector<std::vector<const char*>> wrong = {
      {},
      {"rekord", "42"},
      {"record"},
      {"record", "1", "2"},
      {"record", "42", "--bogus"},
      {"record", "--"},
      {"record", "42", "--", "java"},
      {"record", "42", "-d"},
      {"record", "42", "-d", "1s", "-d", "2s"},
      {"record", "42", "--timeout", "1s"},
      {"record", "42", "--filter="},
      {"record", "42", "-d", "-e", "cpu"},
      {"help", "rekord"},
      {"42"},
      {"stop", "42", "-e", "cpu"},
      {"list", "42"},
      {"convert", "in.jfr"},
      {"convert", "in.jfr", "out.html", "--lines=1"},
      {"convert", "in.jfr", "out.html", "--lines", "--lines"},
      {"--bogus"},
  };
  for (const auto& arguments : wrong) {
    const Outcome<CommandLine> line = Read(arguments);
    ASSERT_FALSE(line.ok()) << (arguments.empty() ? "" : arguments.back());
    EXPECT_EQ(line.error().kind(), FailureKind::kUsage);
    EXPECT_EQ(line.error().message().find('\n'), std::string::npos) << line.error().message();
  }
  EXPECT_THAT(Read({"rekord"}).error().message(), HasSubstr("did you mean 'record'"));
}

TEST(CommandLineTest, TakesAnyNumberOfFilesAndSwitchesWithoutValue) {
  const Outcome<CommandLine> line =
      Read({"convert", "--lines", "a.jfr", "-t", "main", "b.jfr", "--reverse", "-", "out.html"});
  ASSERT_TRUE(line.ok()) << line.error().message();
  EXPECT_THAT(line.value().arguments, ElementsAre("a.jfr", "b.jfr", "-", "out.html"));
  EXPECT_TRUE(line.value().Has("lines"));
  EXPECT_TRUE(line.value().Has("reverse"));
  EXPECT_EQ(line.value().Value(CliOption::kThread), "main");
  EXPECT_THAT(Read({"convert", "in.jfr"}).error().message(), HasSubstr("OUT is missing"));
}

TEST(CommandLineTest, EveryCommandHasHelp) {
  for (const CliCommandRow& row : kCliCommands) {
    const std::string name(row.name);
    const Outcome<CommandLine> line = Read({name.c_str(), "--help"});
    ASSERT_TRUE(line.ok()) << name << line.error().message();
    EXPECT_EQ(line.value().command, CliCommand::kHelp);
    EXPECT_THAT(line.value().arguments, ElementsAre(HasSubstr("jprof " + name)));
  }
}

// Returns the words of a line as a shell would pass them, up to a redirection.
std::vector<std::string> WordsOf(std::string_view line) {
  std::vector<std::string> words;
  std::istringstream rest{std::string(line)};
  for (std::string word; rest >> word && word != ">";) {
    if (word.front() == '\'') word = word.substr(1, word.size() - 2);
    words.push_back(word);
  }
  return words;
}

TEST(CommandLineTest, EveryCommandHasExamplesThatItAccepts) {
  std::set<CliCommand> commands;
  for (const CliExample& example : kCliExamples) {
    const std::vector<std::string> words = WordsOf(example.line);
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    const auto line = ParseCommandLine(static_cast<int>(argv.size()), argv.data());
    ASSERT_TRUE(line.ok()) << example.line << ": " << line.error().message();
    EXPECT_EQ(line.value().command, example.command) << example.line;
    if (example.command == CliCommand::kRecord || example.command == CliCommand::kStart) {
      const Outcome<std::string> options = AgentStartOptions(line.value(), "/o-%t.jfr");
      EXPECT_TRUE(options.ok()) << example.line << ": " << options.error().message();
    }
    commands.insert(example.command);
  }
  EXPECT_EQ(commands.size(), kCliCommands.size());
}

TEST(CommandLineTest, HelpAndTheManualPageFitTheWidthOfATerminal) {
  std::string text = ProgramHelp() + ManPage();
  for (const CliCommandRow& row : kCliCommands) text += CommandHelp(row);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    // roff writes a dash as "\\-".
    EXPECT_LE(line.size() - std::ranges::count(line, '\\'), kHelpWidth) << line;
  }
}

TEST(CommandLineTest, HelpOnViewExplainsEachView) {
  const CliCommandRow* view = FindByName(kCliCommands, "view");
  for (const FormatRow& row : Views()) {
    EXPECT_THAT(CommandHelp(*view), ContainsRegex("\n  " + std::string(row.name) + " +[a-z]"));
  }
}

TEST(CommandLineTest, EveryOptionOfACommandHasATextOfItsOwn) {
  for (const CliCommandRow& row : kCliCommands) {
    std::set<std::string_view> texts;
    for (const CliOptionSpec& spec : OptionsOf(row.id)) {
      EXPECT_TRUE(texts.insert(spec.help).second) << row.name << ": " << spec.name;
    }
  }
}

TEST(CommandLineTest, PassesGivenOptionsToTheAgent) {
  EXPECT_EQ(AgentString({"record", "1"}, "/o.jfr"), "start,file=/o.jfr");
  EXPECT_EQ(AgentString({"start", "-e", "cpu,wall", "-i", "5ms", "1"}, "/o.jfr"),
            "start,event=cpu,wall,interval=5ms,file=/o.jfr");
  EXPECT_EQ(AgentString({"start", "--cpu=5ms", "--wall", "--timeout", "1m", "1"}, ""),
            "start,cpu=5ms,wall,timeout=1m");
  EXPECT_EQ(AgentString({"start", "1", "--wall"}, ""), "start,wall");
}

TEST(CommandLineTest, RefusesOptionsThatTheAgentWouldRefuse) {
  EXPECT_THAT(AgentString({"start", "-e", "cpp", "1"}, ""), HasSubstr("did you mean 'cpu'"));
  EXPECT_THAT(AgentString({"start", "-i", "1us", "1"}, ""), HasSubstr("out of range"));
  EXPECT_THAT(AgentString({"start", "--jstackdepth", "0", "1"}, ""), HasSubstr("out of range"));
}

TEST(CommandLineTest, ATimeIsAPositiveWholeNumberOfAtMostAYear) {
  const Outcome<CommandLine> bare = Read({"record", "-d", "10", "1"});
  ASSERT_TRUE(bare.ok());
  EXPECT_EQ(TimeOption(bare.value(), CliOption::kDuration).value(), 10 * kNanosPerSecond);
  for (const char* bad : {"x", "1.5s", "-1s", "0s", "0", "", "8760h", "9223372036s"}) {
    const Outcome<CommandLine> line = Read({"record", "-d", bad, "1"});
    if (!line) continue;
    const Outcome<Nanos> time = TimeOption(line.value(), CliOption::kDuration);
    ASSERT_FALSE(time.ok()) << bad;
    EXPECT_THAT(time.error().message(), HasSubstr("--duration"));
  }
}

// The value of an option is in the word of the option or in the next word. A word after --wall is
// the value of --wall if the word has a unit.
TEST(CommandLineTest, AcceptsAValueInEveryUsualPlace) {
  for (const auto& arguments : std::vector<std::vector<const char*>>{
           {"start", "-owall", "--wall", "5ms", "42"},
           {"start", "-o=wall", "--wall=5ms", "42"},
           {"start", "--output=wall", "--wall", "5ms", "--", "42"},
           {"start", "--output", "wall", "42", "--wall", "5ms"}}) {
    const Outcome<CommandLine> line = Read(arguments);
    ASSERT_TRUE(line.ok()) << line.error().message();
    EXPECT_EQ(line.value().Value(CliOption::kOutput), "wall");
    EXPECT_EQ(line.value().options.at("wall"), "5ms");
    EXPECT_THAT(line.value().arguments, ElementsAre("42"));
  }
  EXPECT_EQ(AgentString({"start", "--wall", "42"}, ""), "start,wall");
  EXPECT_EQ(AgentString({"start", "--wall", "main.5ms"}, ""), "start,wall");
}

const char* SampleOf(const AsyncProfilerOption& row) {
  if (row.value == "TIME" || row.value == "SECONDS") return "7s";
  if (row.value == "SIZE") return "9k";
  return row.value == "EVENT" ? "wall" : "9";
}

TEST(AsyncProfilerTest, EachOptionIsMappedOrGetsAdvice) {
  for (const AsyncProfilerOption& row : AsyncProfilerOptions()) {
    for (const std::string& word : {row.letter.empty() ? "" : "-" + std::string(row.letter),
                                    row.name.empty() ? "" : "--" + std::string(row.name)}) {
      if (word.empty()) continue;
      const char* command = row.ours == "duration" ? "record" : "start";
      std::vector<const char*> arguments = {command, "42", word.c_str()};
      if (!row.value.empty()) arguments.push_back(SampleOf(row));
      const Outcome<CommandLine> line = Read(arguments);
      ASSERT_EQ(line.ok(), !row.ours.empty()) << word;
      if (row.ours.empty()) {
        EXPECT_THAT(line.error().message(),
                    HasSubstr("'" + word + "': " + std::string(row.advice)));
      } else {
        EXPECT_EQ(line.value().options.at(std::string(row.ours)),
                  row.value.empty() ? "" : SampleOf(row))
            << word;
      }
    }
    EXPECT_NE(row.ours.empty(), row.advice.empty()) << row.name;
  }
}

TEST(AsyncProfilerTest, EachCommandIsMappedOrGetsAdvice) {
  for (const AsyncProfilerCommand& row : AsyncProfilerCommands()) {
    const std::string word(row.word);
    const Outcome<CommandLine> line = Read({word.c_str(), "42"});
    if (row.command.empty()) {
      EXPECT_THAT(line.error().message(), HasSubstr(std::string(row.advice)));
    } else if (line.ok()) {
      EXPECT_EQ(kCliCommands[static_cast<size_t>(line.value().command)].name, row.command);
    } else {  // help and version take no target
      EXPECT_THAT(line.error().message(), HasSubstr("'42'"));
    }
  }
}

TEST(CliTextsTest, EveryCommandOptionAndExitCodeIsDocumented) {
  const std::string man = ManPage();
  const std::string markdown = CliMarkdown();
  for (const CliCommandRow& row : kCliCommands) {
    EXPECT_THAT(man, HasSubstr(".B jprof " + std::string(row.name)));
    for (const CliOptionSpec& spec : OptionsOf(row.id)) {
      EXPECT_THAT(markdown, HasSubstr("--" + std::string(spec.name)));
      for (const char* shell : {"bash", "zsh"}) {
        EXPECT_THAT(*CompletionText(shell), HasSubstr("--" + std::string(spec.name))) << shell;
      }
      EXPECT_THAT(*CompletionText("fish"), HasSubstr("-l " + std::string(spec.name)));
    }
  }
  for (const FailureRow& row : kFailures) {
    EXPECT_THAT(man, HasSubstr(".B " + std::to_string(row.exit_code)));
    EXPECT_THAT(markdown, HasSubstr("| " + std::to_string(row.exit_code) + " |"));
  }
  EXPECT_FALSE(CompletionText("tcsh").has_value());
}

TEST(CliTextsTest, ShellsCompleteTheValuesOfOptionsThatAreWords) {
  EXPECT_THAT(*CompletionText("zsh"),
              HasSubstr(":EVENTS:(cpu ctimer perf itimer wall alloc lock nativelock cpu,wall)'"));
  EXPECT_THAT(*CompletionText("fish"), HasSubstr("-l cstack -x -a 'vm vmx fp agct no'"));
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string text = *CompletionText(shell);
    for (const char* words :
         {"cpu ctimer perf itimer wall alloc lock nativelock cpu,wall", "vm vmx fp agct no",
          "SIGPROF SIGSTKFLT SIGPWR", "trace debug info", "0 1"}) {
      EXPECT_THAT(text, HasSubstr(words)) << shell;
    }
  }
}

TEST(CliTextsTest, ExitCodesAreDistinct) {
  for (const FailureRow& left : kFailures) {
    EXPECT_GT(left.exit_code, 0);
    for (const FailureRow& right : kFailures) {
      EXPECT_TRUE(left.kind == right.kind || left.exit_code != right.exit_code);
    }
  }
}

}  // namespace
}  // namespace jprof
