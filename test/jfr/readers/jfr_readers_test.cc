// Reads our files with real readers: the `jfr` tool and the consumer API of every installed JDK.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "jfr/readers/synthetic_recording.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

struct Outcome {
  int status;
  std::string output;  // output of stdout and stderr
};

Outcome RunShell(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  Outcome outcome{-1, ""};
  if (pipe == nullptr) return outcome;
  char buffer[4096];
  for (size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    outcome.output.append(buffer, got);
  }
  outcome.status = WEXITSTATUS(pclose(pipe));
  return outcome;
}

std::set<std::string> JdkHomes() {
  std::set<std::string> homes;
  const auto add = [&](const std::filesystem::path& home) {
    if (std::filesystem::exists(home / "bin/jfr")) {
      homes.insert(std::filesystem::canonical(home).string());
    }
  };
  if (const char* home = std::getenv("JAVA_HOME"); home != nullptr) add(home);
  if (std::filesystem::exists("/usr/lib/jvm")) {
    for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/jvm")) add(entry.path());
  }
  return homes;
}

// Returns the command that runs `jfr` of a JDK, in UTF-8 whatever the locale of the build.
std::string Jfr(const std::string& home, const std::string& arguments) {
  return "env -u JAVA_TOOL_OPTIONS LC_ALL=C.UTF-8 " + home + "/bin/jfr " + arguments;
}

class JfrReadersTest : public ::testing::TestWithParam<std::string> {
 protected:
  std::string ReadBack(const std::string& file) const {
    const Outcome read =
        RunShell("env -u JAVA_TOOL_OPTIONS " + GetParam() +
                 "/bin/java " JPROF_TEST_SOURCES "/java/jfr/ReadBack.java " + file);
    EXPECT_EQ(read.status, 0) << read.output;
    return read.output;
  }
  void ExpectToolAccepts(const std::string& file) const {
    for (const std::string command :
         {"summary ", "metadata ", "print ", "print --json ", "print --xml "}) {
      const Outcome outcome = RunShell(Jfr(GetParam(), command + file));
      EXPECT_EQ(outcome.status, 0) << command << outcome.output.substr(0, 2000);
      // Matches an exception as Java prints it: a field of an event may mention exceptions, too.
      EXPECT_THAT(outcome.output, Not(ContainsRegex("Exception(:| in thread|\n\tat )"))) << command;
    }
  }

  test::TempFolder folder_;
  const std::string file_ = folder_.File("a.jfr");
};

TEST_P(JfrReadersTest, TheConsumerApiReadsBackEveryEvent) {
  const std::string lines = test::WriteSyntheticRecording(file_);
  EXPECT_EQ(ReadBack(file_), lines);
}

TEST_P(JfrReadersTest, TheToolPrintsASyntheticRecording) {
  test::WriteSyntheticRecording(file_);
  ExpectToolAccepts(file_);
  EXPECT_THAT(RunShell(Jfr(GetParam(), "summary " + file_)).output, HasSubstr("Chunks: 2"));
  const std::string printed = RunShell(Jfr(GetParam(), "print " + file_)).output;
  EXPECT_THAT(printed, HasSubstr("demo.Caf\xC3\xA9\xF0\x9F\x98\x80.run(String, int[])"));
  EXPECT_THAT(printed, HasSubstr("libc.so.6.epoll_wait()"));
  EXPECT_THAT(printed, HasSubstr("timeSpan = 150 ms"));
  EXPECT_THAT(printed, HasSubstr("baseAddress = 0x7F0000000000"));
}

TEST_P(JfrReadersTest, ARecordingWithoutSamplesIsReadable) {
  const std::string lines = test::WriteEmptyRecording(file_);
  EXPECT_EQ(ReadBack(file_), lines);
  ExpectToolAccepts(file_);
}

TEST_P(JfrReadersTest, ASecondRecordingReplacesTheFirst) {
  test::WriteSyntheticRecording(file_);
  const std::string lines = test::WriteEmptyRecording(file_);
  EXPECT_EQ(ReadBack(file_), lines);
}

INSTANTIATE_TEST_SUITE_P(Jdks, JfrReadersTest, ::testing::ValuesIn(JdkHomes()),
                         [](const auto& jdk) {
                           std::string name = std::filesystem::path(jdk.param).filename().string();
                           for (char& c : name) c = std::isalnum(c) != 0 ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace jprof
