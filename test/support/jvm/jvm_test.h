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

// A second and a millisecond in nanoseconds, as recordings have times, and a kilobyte in bytes.
constexpr double kSecond = 1e9;
constexpr double kMilli = 1e6;
constexpr double kKilo = 1024;

// The CPU time in nanoseconds, at most, that a thread uses after the last look at its clock: to print
// that clock it links the concatenation of strings, if it is the first thread that prints.
constexpr double kPrintingNs = 50e6;

struct AttachResult {
  std::optional<int> return_code;  // What jcmd says the agent returned, if it says anything.
  std::string output;

  bool Accepted() const { return return_code == 0; }
  bool Refused() const { return return_code.has_value() && *return_code != 0; }
};

class JvmTest : public testing::TestWithParam<Jdk> {
 protected:
  JvmTest();
  ~JvmTest() override;  // Removes the folder unless the test failed.

  const Jdk& jdk() const { return GetParam(); }

  // A path in this test's own, initially empty folder.
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  std::vector<std::string> FilesInFolder() const;
  // The folder that Path() is in.
  const std::string& folder() const { return folder_; }

  // java <jvm_arguments> -cp <workloads> <program>, working in the folder.
  ProcessSpec Java(const std::vector<std::string>& program,
                   const std::vector<std::string>& jvm_arguments = {}) const;
  static std::string AgentArgument(const std::string& options);
  // Makes a jar that has only this manifest: of an agent of java.lang.instrument whose classes are on
  // the class path. Returns the path for -javaagent.
  std::string MakeAgentJar(const std::string& manifest) const;

  ProcessResult RunProfiled(const std::string& options, const std::vector<std::string>& program,
                            std::vector<std::string> jvm_arguments = {}) const;

  // jcmd <pid> JVMTI.agent_load <agent> "<options>", quoted as jcmd wants it.
  AttachResult Attach(pid_t pid, const std::string& options) const;
  // As if the agent were the library at another path.
  AttachResult AttachLibrary(const std::string& library, pid_t pid,
                             const std::string& options) const;
  // The same with the options as they are, as a shell user who forgets the quotes passes them.
  AttachResult AttachUnquoted(pid_t pid, const std::string& options) const;

  // The recording at Path(name). A test failure, and no events, if the JDK cannot read it, if a
  // chunk is unfinished, if the accountant finds a fault (jfr/writer/accountant.h) or if a
  // sample refers to something that is not there.
  Recording ReadSound(const std::string& name) const;

  // As above, but asks only that the JDK can read it and its chunks are finished: for recordings
  // of the JDK itself, which in 17 writes samples without a thread at times.
  Recording ReadSealed(const std::string& name) const;

 private:
  std::string folder_;
};

#define JPROF_ON_EVERY_JDK(Suite)                                                \
  INSTANTIATE_TEST_SUITE_P(, Suite, testing::ValuesIn(::jprof::test::JdkList()), \
                           testing::PrintToStringParamName())

// For promises of the program that the JVM under it has no part in: half the time.
#define JPROF_ON_NEWEST_JDK(Suite)                                                 \
  INSTANTIATE_TEST_SUITE_P(, Suite, testing::ValuesIn(::jprof::test::NewestJdk()), \
                           testing::PrintToStringParamName())

// For a promise that older JDKs leave no room for. No test at all where every JDK is older.
#define JPROF_ON_JDKS_FROM(first_major, Suite)                                               \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Suite);                                      \
  INSTANTIATE_TEST_SUITE_P(, Suite, testing::ValuesIn(::jprof::test::JdksFrom(first_major)), \
                           testing::PrintToStringParamName())

// Matches a number within `share` (0.05: five per cent) of `truth`.
MATCHER_P2(IsWithin, share, truth,
           "is within " + testing::PrintToString(share * 100) + " % of " +
               testing::PrintToString(truth)) {
  *result_listener << "which is " << arg / truth << " of it";
  return arg >= truth * (1 - share) && arg <= truth * (1 + share);
}

}  // namespace jprof::test
