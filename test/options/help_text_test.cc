#include "options/help_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "options/doc/options_markdown.h"
#include "options/option_table.h"
#include "options/options.h"
#include "options/quantity.h"

namespace jprof {
namespace {

using ::testing::HasSubstr;

// Returns the text without its line breaks.
std::string Unwrapped(const std::string& text) {
  return std::regex_replace(text, std::regex("\\s+"), " ");
}

TEST(HelpTextTest, FitsTheWidthOfATerminal) {
  std::istringstream lines(HelpText());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), kHelpWidth) << line;
}

TEST(HelpTextTest, EveryOptionHasATextOfItsOwn) {
  std::set<std::string_view> texts;
  for (const OptionRow& row : kOptions) {
    EXPECT_TRUE(IsHidden(row) || texts.insert(row.help).second) << row.name;
  }
}

TEST(HelpTextTest, EveryNamedValueHasAMeaning) {
  for (const OptionValueRow& row : kOptionValues) {
    EXPECT_FALSE(row.help.empty()) << row.name;
    EXPECT_THAT(Unwrapped(HelpText()),
                HasSubstr(std::string(row.name) + " " + std::string(row.help)));
  }
}

TEST(HelpTextTest, HelpAndTheDocumentNameEveryRowOfTheTable) {
  for (const std::string& text : {Unwrapped(HelpText()), OptionsMarkdown()}) {
    for (const CommandRow& row : kCommands) {
      if (row.help.empty()) continue;  // sent only by jprof
      EXPECT_THAT(text, HasSubstr(std::string(row.name)));
    }
    for (const EventRow& row : kEvents) EXPECT_THAT(text, HasSubstr(std::string(row.name)));
    for (const LogLevelRow& row : kLogLevels) EXPECT_THAT(text, HasSubstr(std::string(row.name)));
    for (const OptionRow& row : kOptions) {
      if (IsHidden(row)) continue;
      EXPECT_THAT(text, HasSubstr(FormOf(row)));
      EXPECT_THAT(text, HasSubstr(std::string(row.help)));
      EXPECT_THAT(text, HasSubstr(std::string(row.default_text)));
      EXPECT_THAT(text, HasSubstr(std::string(row.max)));
    }
  }
}

TEST(HelpTextTest, TheExamplesAreAccepted) {
  for (const std::string example :
       {"start,event=cpu,file=/abs/%p.jfr", "start,event=wall,file=/abs/out.jfr", "stop"}) {
    EXPECT_THAT(HelpText(), HasSubstr(example));
    EXPECT_THAT(OptionsMarkdown(), HasSubstr(example));
    EXPECT_TRUE(ParseOptions(example).ok());
  }
}

// Returns the nanoseconds of an interval such as "10ms", or nullopt for "off".
std::optional<Nanos> DocumentedInterval(const std::string& cell) {
  if (cell == "off") return std::nullopt;
  return ParseDuration(cell).value();
}

std::optional<Nanos> IntervalIn(const Options& options, SampleKind kind) {
  const KindSettings& settings = options.samples[kind];
  return settings.enabled() ? std::optional(settings.interval) : std::nullopt;
}

// Calls `check` with the match of every line of docs/options.md that matches `pattern`. Returns the
// number of matches.
template <typename Check>
int ForEachRow(const std::string& pattern, Check check) {
  std::istringstream lines(OptionsMarkdown());
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    std::smatch cells;
    if (!std::regex_match(line, cells, std::regex(pattern))) continue;
    check(cells);
    ++rows;
  }
  return rows;
}

TEST(HelpTextTest, TheDocumentedStringsSelectTheDocumentedIntervals) {
  const int rows = ForEachRow(R"(\| `(start.*)` \| (\w+) \| (\w+) \|)", [](const auto& cells) {
    const Result<Options> options = ParseOptions(cells[1].str());
    ASSERT_TRUE(options.ok()) << cells[0];
    EXPECT_EQ(IntervalIn(options.value(), SampleKind::kCpu), DocumentedInterval(cells[2]))
        << cells[0];
    EXPECT_EQ(IntervalIn(options.value(), SampleKind::kWall), DocumentedInterval(cells[3]))
        << cells[0];
  });
  EXPECT_EQ(rows, 9);
}

TEST(HelpTextTest, TheStringsDocumentedAsRefusedAreRefused) {
  const int rows = ForEachRow(R"(\| `(start.*)` \| refused.*)", [](const auto& cells) {
    EXPECT_FALSE(ParseOptions(cells[1].str()).ok()) << cells[0];
  });
  EXPECT_EQ(rows, 3);
}

}  // namespace
}  // namespace jprof
