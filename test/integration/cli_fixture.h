// CliTest: fixture of a test that runs jprof against a program of test/java.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "integration/server.h"
#include "support/jvm/jvm_test.h"

namespace jprof::test {

// The exit codes of jprof, which docs/cli.md lists.
constexpr int kRefused = 1;
constexpr int kUsage = 2;
constexpr int kNoProcess = 3;
constexpr int kNotAJvm = 4;
constexpr int kPermission = 6;
constexpr int kNoAnswer = 8;
constexpr int kLibrary = 9;
constexpr int kFile = 10;

class CliTest : public JvmTest {
 protected:
  static ProcessSpec JprofSpec(const std::vector<std::string>& arguments);

  // Runs jprof in the folder of the test.
  ProcessResult Jprof(const std::vector<std::string>& arguments) const;

  // Runs jprof in the folder of the test, with the pid as last argument.
  ProcessResult JprofOn(pid_t pid, std::vector<std::string> arguments) const;

  // Returns once the process is being recorded.
  static void AwaitRecording(pid_t pid);

  // Returns the content of a file in the folder of the test.
  std::string Content(const std::string& name) const;

  // Returns once the process has a thread of this name. REQUIRES: the name has at most 15 letters.
  static void AwaitThread(pid_t pid, const std::string& name);
};

// Fixture of a test that runs jprof against one running program.
class CliServerTest : public CliTest {
 protected:
  CliServerTest() : server_(ServerProcess::Start(Java({"Server", "1", "0"}))) {}

  void SetUp() override { ASSERT_TRUE(server_.ok()) << server_.error().message(); }

  ServerProcess& server() { return server_.value(); }
  pid_t pid() const { return server_.value().pid(); }

 private:
  Result<ServerProcess> server_;
};

// NewFiles finds the files that appear in a folder of temporary files, which other programs use
// too.
class NewFiles {
 public:
  explicit NewFiles(std::string folder);

  // Returns the files with `part` in their names that have appeared since the construction.
  std::vector<std::string> With(const std::string& part) const;

  // Waits, and returns those files of With(part) that remain. (Other tests remove their files
  // within a moment.) Files of `jprof view` count only if `part` names them.
  std::vector<std::string> LeftWith(const std::string& part) const;

 private:
  std::set<std::string> Names() const;

  std::string folder_;
  std::set<std::string> before_;
};

// Returns the sum of the counts in the lines of collapsed stacks.
int64_t SumOfCounts(const std::string& collapsed);

// Matches a process that ended with this exit code and printed this text on standard error.
MATCHER_P2(FailedWith, code, text,
           "exit code " + testing::PrintToString(code) + " and " + testing::PrintToString(text)) {
  *result_listener << arg.Describe();
  return arg.exit_code == code && arg.err.find(text) != std::string::npos;
}

MATCHER_P(Printed, text, "exit code 0 and " + testing::PrintToString(text)) {
  *result_listener << arg.Describe();
  return arg.exit_code == 0 && arg.out.find(text) != std::string::npos;
}

}  // namespace jprof::test
