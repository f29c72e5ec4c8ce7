// JvmTest: fixture of a test that starts JVMs, once for every installed JDK.
//
//   class LaunchTest : public JvmTest {};
//   JPROF_ON_EVERY_JDK(LaunchTest);
//   TEST_P(LaunchTest, SaysSomething) { auto result = RunProfiled("start,…", {"Hello"}); … }
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "support/jvm/agent_log.h"
#include "support/jvm/chunk_headers.h"
#include "support/jvm/jdk.h"
#include "support/jvm/process.h"
#include "support/jvm/program_output.h"
#include "support/jvm/recording.h"
#include "support/jvm/samples.h"
#include "support/jvm/test_paths.h"

namespace jprof::test {

// A second and a millisecond in nanoseconds, which is the unit of times in recordings; a kilobyte
// in bytes.
constexpr double kSecond = 1e9;
constexpr double kMilli = 1e6;
constexpr double kKilo = 1024;

// The most CPU time in nanoseconds that a thread uses after it has read its clock for the last
// time. It still has to print the value, and the first thread that prints links the concatenation
// of strings.
constexpr double kPrintingNs = 50e6;

struct AttachResult {
  std::optional<int> return_code;  // of the agent, if jcmd prints one
  std::string output;

  bool Accepted() const { return return_code == 0; }
  bool Refused() const { return return_code.has_value() && *return_code != 0; }
};

class JvmTest : public testing::TestWithParam<Jdk> {
 protected:
  JvmTest();
  ~JvmTest() override;  // removes the folder unless the test failed

  const Jdk& jdk() const { return GetParam(); }

  // Returns a path in this test's own folder, which is empty at first.
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  std::vector<std::string> FilesInFolder() const;
  // Returns the folder in which the paths of Path() are.
  const std::string& folder() const { return folder_; }

  // Returns java <jvm_arguments> -cp <workloads> <program>, with the folder as working directory.
  ProcessSpec Java(const std::vector<std::string>& program,
                   const std::vector<std::string>& jvm_arguments = {}) const;
  static std::string AgentArgument(const std::string& options);
  // Makes a jar that contains only this manifest, for a java.lang.instrument agent whose classes
  // are on the class path. Returns the jar's path, for -javaagent.
  std::string MakeAgentJar(const std::string& manifest) const;
  // Returns the JVM argument for OtherAgent, which is on the class path.
  std::string OtherAgentArgument() const;

  ProcessResult RunProfiled(const std::string& options, const std::vector<std::string>& program,
                            std::vector<std::string> jvm_arguments = {}) const;

  // Runs jcmd <pid> JVMTI.agent_load <agent> "<options>", with the quotes that jcmd needs.
  AttachResult Attach(pid_t pid, const std::string& options) const;
  // Like Attach, but loads the library at this path instead of the agent.
  AttachResult AttachLibrary(const std::string& library, pid_t pid,
                             const std::string& options) const;
  // Like Attach, but without the quotes around the options, as if a user forgets them in a shell.
  AttachResult AttachUnquoted(pid_t pid, const std::string& options) const;

  // Returns the recording at Path(name). Fails the test, and returns no events, if the JDK cannot
  // read the file, if a chunk is unfinished, if AuditRecording (jfr/writer/accountant.h) finds a
  // fault, or if a sample refers to something that the file lacks.
  Recording ReadSound(const std::string& name) const;

  // Returns the recording at Path(name). Fails the test only if the JDK cannot read the file or a
  // chunk is unfinished. For recordings of the JDK itself, because JDK 17 sometimes writes samples
  // without a thread.
  Recording ReadSealed(const std::string& name) const;

 private:
  std::string folder_;
};

#define JPROF_ON_EVERY_JDK(Suite)                                                \
  INSTANTIATE_TEST_SUITE_P(, Suite, testing::ValuesIn(::jprof::test::JdkList()), \
                           testing::PrintToStringParamName())

// Runs the suite on the newest JDK alone, to save time. For behaviour that does not depend on the
// JVM.
#define JPROF_ON_NEWEST_JDK(Suite)                                                 \
  INSTANTIATE_TEST_SUITE_P(, Suite, testing::ValuesIn(::jprof::test::NewestJdk()), \
                           testing::PrintToStringParamName())

// Runs the suite on the JDKs from this release on, for behaviour that older JDKs do not permit.
// There are no tests if every installed JDK is older.
#define JPROF_ON_JDKS_FROM(first_major, Suite)                                               \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Suite);                                      \
  INSTANTIATE_TEST_SUITE_P(, Suite, testing::ValuesIn(::jprof::test::JdksFrom(first_major)), \
                           testing::PrintToStringParamName())

// Matches a number within `share` of `truth`; 0.05 is five per cent.
MATCHER_P2(IsWithin, share, truth,
           "is within " + testing::PrintToString(share * 100) + " % of " +
               testing::PrintToString(truth)) {
  *result_listener << "which is " << arg / truth << " of it";
  return arg >= truth * (1 - share) && arg <= truth * (1 + share);
}

}  // namespace jprof::test
