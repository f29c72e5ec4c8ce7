#include "support/jvm/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "support/jvm/jdk.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

ProcessSpec Shell(const std::string& script) {
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", script};
  return spec;
}

TEST(ProcessTest, BothOutputsAndTheExitCodeAreCaptured) {
  const ProcessResult result = RunProcess(Shell("echo one; echo two >&2; exit 3"));
  EXPECT_EQ(result.out, "one\n");
  EXPECT_EQ(result.err, "two\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.signal, 0);
}

TEST(ProcessTest, RemovesTheMachinesOptionsForEveryJvm) {
  setenv("JAVA_TOOL_OPTIONS", "-Dmachine=1", 1);
  ProcessSpec spec = Shell("echo \"[$JAVA_TOOL_OPTIONS]\"");
  EXPECT_EQ(RunProcess(spec).out, "[]\n");
  spec.env = {{"JAVA_TOOL_OPTIONS", "-Dtest=1"}};
  EXPECT_EQ(RunProcess(spec).out, "[-Dtest=1]\n");
  unsetenv("JAVA_TOOL_OPTIONS");
}

TEST(ProcessTest, ASignalIsNotAnExitCode) {
  const ProcessResult result = RunProcess(Shell("kill -TERM $$"));
  EXPECT_EQ(result.exit_code, -1);
  EXPECT_EQ(result.signal, SIGTERM);
}

TEST(ProcessTest, RemovesTheAttachSocketOfAKilledJvm) {
  std::string socket;
  {
    auto process =
        RunningProcess::Start(Shell("touch /tmp/.java_pid$$; echo there; exec sleep 100"));
    ASSERT_TRUE(process.ok());
    ASSERT_TRUE(process.value().WaitForLine("there").ok());
    socket = "/tmp/.java_pid" + std::to_string(process.value().pid());
    ASSERT_EQ(access(socket.c_str(), F_OK), 0);
  }
  EXPECT_NE(access(socket.c_str(), F_OK), 0);
}

TEST(ProcessTest, ALateProcessIsKilledAndSaysSo) {
  ProcessSpec spec = Shell("echo before; exec sleep 100");
  spec.timeout = std::chrono::milliseconds(200);
  const ProcessResult result = RunProcess(spec);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_EQ(result.out, "before\n");
}

TEST(ProcessTest, TheChildGetsInputEnvironmentAndFolder) {
  ProcessSpec spec = Shell("read line; echo $line $GREETING; pwd");
  spec.env = {{"GREETING", "there"}};
  spec.stdin_text = "hello";
  spec.working_directory = "/";
  EXPECT_EQ(RunProcess(spec).out, "hello there\n/\n");
}

TEST(ProcessTest, AProgramThatDoesNotExistIsNamed) {
  ProcessSpec spec;
  spec.argv = {"/no/such/program"};
  const ProcessResult result = RunProcess(spec);
  EXPECT_EQ(result.exit_code, 127);
  EXPECT_THAT(result.err, HasSubstr("/no/such/program"));
}

TEST(ProcessTest, ALineIsAwaitedAndAnswered) {
  auto process = RunningProcess::Start(Shell("echo noise; echo ready; read x; echo got $x"));
  ASSERT_TRUE(process.ok()) << process.error().message();
  ASSERT_TRUE(process.value().WaitForLine("ready").ok());
  process.value().WriteLine("it");
  const auto line = process.value().WaitForLine("got");
  ASSERT_TRUE(line.ok()) << line.error().message();
  EXPECT_EQ(line.value(), "got it");
  const ProcessResult result = process.value().Wait();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "noise\nready\ngot it\n");
}

TEST(ProcessTest, ALineThatNeverComesIsAnError) {
  auto process = RunningProcess::Start(Shell("echo noise"));
  ASSERT_TRUE(process.ok()) << process.error().message();
  EXPECT_FALSE(process.value().WaitForLine("ready").ok());
}

TEST(JdkListTest, AtLeastOneJdkIsInstalled) {
  for (const Jdk& jdk : JdkList()) std::cout << jdk << ": " << jdk.home << "\n";
  for (const int major : MissingJdkMajors()) std::cout << "Jdk" << major << ": not installed\n";
  EXPECT_FALSE(JdkList().empty());
}

}  // namespace
}  // namespace jprof::test
