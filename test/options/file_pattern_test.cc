#include "options/file_pattern.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <random>

namespace jprof {
namespace {

const char* FakeEnvironment(const char* name) {
  const std::string_view variable(name);
  if (variable == "POD") return "pod-7";
  if (variable == "EMPTY") return "";
  if (variable == "PERCENT") return "%p";
  return nullptr;
}

FilePatternContext Context() {
  FilePatternContext context{};
  context.pid = 4242;
  context.start_time.tm_year = 2024 - 1900;
  context.start_time.tm_mon = 1;
  context.start_time.tm_mday = 3;
  context.start_time.tm_hour = 4;
  context.start_time.tm_min = 5;
  context.start_time.tm_sec = 6;
  context.environment = FakeEnvironment;
  return context;
}

std::string Expanded(std::string_view pattern) {
  const Result<std::string> name = ExpandFilePattern(pattern, Context());
  return name.ok() ? name.value() : "error: " + name.error().message();
}

TEST(FilePatternTest, EveryPlaceholderHasItsValue) {
  EXPECT_EQ(Expanded("profile-%p-%t.jfr"), "profile-4242-20240203-040506.jfr");
  EXPECT_EQ(Expanded("/x/%{POD}.jfr"), "/x/pod-7.jfr");
  EXPECT_EQ(Expanded("100%%p"), "100%p");
  EXPECT_EQ(Expanded("%p%p%%%t"), "42424242%20240203-040506");
}

TEST(FilePatternTest, FilesOfOneRecordingAreNumbered) {
  FilePatternContext context = Context();
  EXPECT_EQ(Expanded("%n"), "1");
  context.number = 12;
  EXPECT_EQ(ExpandFilePattern("a-%n.jfr", context).value(), "a-12.jfr");
}

TEST(FilePatternTest, NumberOrTimeNamesEachFile) {
  EXPECT_TRUE(NamesEachFile("a-%n.jfr"));
  EXPECT_TRUE(NamesEachFile("%p%t"));
  EXPECT_FALSE(NamesEachFile("a-%p.jfr"));
  EXPECT_FALSE(NamesEachFile("100%%n"));
  EXPECT_FALSE(NamesEachFile("n%"));
}

TEST(FilePatternTest, KeepsTextThatIsNotAPlaceholder) {
  EXPECT_EQ(Expanded(""), "");
  EXPECT_EQ(Expanded("/a b/c=d{}.jfr"), "/a b/c=d{}.jfr");
}

TEST(FilePatternTest, NoTwoFilesHaveTheSameRandomDigits) {
  const std::string one = Expanded("a-%u.jfr");
  EXPECT_EQ(one.size(), std::string("a-0123456789ab.jfr").size());
  EXPECT_NE(one, Expanded("a-%u.jfr"));
}

TEST(FilePatternTest, DoesNotExpandTheValueOfAVariable) {
  EXPECT_EQ(Expanded("a%{EMPTY}b"), "ab");
  EXPECT_EQ(Expanded("%{PERCENT}"), "%p");
}

TEST(FilePatternTest, NamesAVariableThatIsNotSet) {
  EXPECT_EQ(Expanded("x-%{NOPE}"),
            "error: file pattern 'x-%{NOPE}': environment variable 'NOPE' is not set");
}

TEST(FilePatternTest, RefusesUnknownPlaceholders) {
  EXPECT_EQ(Expanded("x%q"),
            "error: file pattern 'x%q': unknown '%q', known are %p, %t, %n, %u, %{NAME} and %%");
  EXPECT_EQ(Expanded("x%P"),
            "error: file pattern 'x%P': unknown '%P', known are %p, %t, %n, %u, %{NAME} and %%");
  EXPECT_EQ(Expanded("x%"),
            "error: file pattern 'x%': it ends in a single '%', known are %p, %t, %n, %u, %{NAME} "
            "and %%");
  EXPECT_EQ(Expanded("x%{POD"), "error: file pattern 'x%{POD': '%{' is not closed by '}'");
  EXPECT_EQ(Expanded("x%{}"), "error: file pattern 'x%{}': '%{}' names no environment variable");
}

TEST(FilePatternTest, OfThisProcessReturnsItsPidTheTimeAndItsEnvironment) {
  setenv("JPROF_FILE_PATTERN_TEST", "here", 1);
  const Result<std::string> name =
      ExpandFilePattern("%p-%t-%{JPROF_FILE_PATTERN_TEST}", FilePatternContext::OfThisProcess());
  ASSERT_TRUE(name.ok());
  const std::string pid = std::to_string(getpid());
  EXPECT_EQ(name.value().substr(0, pid.size() + 3), pid + "-20");
  EXPECT_EQ(name.value().size(), pid.size() + std::string("-yyyyMMdd-HHmmss-here").size());
}

TEST(FilePatternTest, AnyBytesAreExpandedOrRefused) {
  std::mt19937 random(3);  // NOLINT(cert-msc51-cpp): a failure must repeat
  const std::string_view letters = "%%%{}ptnPOD/\n";
  for (int round = 0; round < 20'000; ++round) {
    std::string pattern(random() % 16, '\0');
    for (char& c : pattern) c = letters[random() % letters.size()];
    const Result<std::string> name = ExpandFilePattern(pattern, Context());
    const std::string line = name.ok() ? "" : name.error().message();
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace jprof
