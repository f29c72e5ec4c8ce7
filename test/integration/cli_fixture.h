// CliTest: fixture of a test that runs jprof against a program of test/java.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "integration/server.h"
#include "support/jvm/jvm_test.h"

namespace jprof::test {

// Exit codes of jprof: docs/cli.md.
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

  // With the working folder of the test.
  ProcessResult Jprof(const std::vector<std::string>& arguments) const;

  // The same with the pid at the end.
  ProcessResult JprofOn(pid_t pid, std::vector<std::string> arguments) const;

  // Returns once a recording is under way in the process.
  static void AwaitRecording(pid_t pid);

  // Returns the content of a file in the folder of the test.
  std::string Content(const std::string& name) const;

  // Returns once the process has a thread of the name, of 15 letters at most.
  static void AwaitThread(pid_t pid, const std::string& name);
};

// The same with one program that runs.
class CliServerTest : public CliTest {
 protected:
  CliServerTest() : server_(ServerProcess::Start(Java({"Server", "1", "0"}))) {}

  void SetUp() override { ASSERT_TRUE(server_.ok()) << server_.error().message(); }

  ServerProcess& server() { return server_.value(); }
  pid_t pid() const { return server_.value().pid(); }

 private:
  Result<ServerProcess> server_;
};

// What comes into a folder of temporary files, in which other programs have files, too.
class NewFiles {
 public:
  explicit NewFiles(std::string folder);

  // Those with `part` in their names that came since the construction.
  std::vector<std::string> With(const std::string& part) const;

  // Returns those of the same that do not go: files of other tests go in a moment. Files of views
  // count if `part` names them.
  std::vector<std::string> LeftWith(const std::string& part) const;

 private:
  std::set<std::string> Names() const;

  std::string folder_;
  std::set<std::string> before_;
};

// Of the lines of collapsed stacks.
int64_t SumOfCounts(const std::string& collapsed);

// Of a process that ended with this code and said this on standard error.
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
