// TraceJdkTest: traces methods of the JDK from the launch on. The JVM itself calls these methods,
// for example when it links the probes.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "integration/cli_fixture.h"

namespace jprof::test {

class TraceJdkTest : public CliTest {
 protected:
  // Runs TracedJdk for at least `seconds`, and traces the methods in `patterns`.
  ProcessResult Trace(const std::string& patterns, int seconds,
                      std::vector<std::string> jvm_arguments = {}) const {
    const bool has_virtual = jdk().major >= kFirstMajorWithVirtualThreads;
    const bool has_log = jdk().major >= 9;
    if (has_log) jvm_arguments.push_back("-Xlog:exceptions=info:file=" + Path("log"));
    return RunProfiled(
        "start,trace=" + patterns + ",file=" + Path("out.jfr"),
        {"TracedJdk", "2000", "4", has_virtual ? "100" : "0", std::to_string(seconds)},
        std::move(jvm_arguments));
  }

  // Expects that the results of the program are right, that no stack overflows, and that every call
  // is counted.
  void ExpectSound(const ProcessResult& run) const {
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    EXPECT_EQ(ProgramOutput(run.out).Number("wrong"), 0);
    EXPECT_THAT(run.err, testing::Not(testing::HasSubstr("calls are not counted")));
    std::ifstream log(Path("log"));
    for (std::string line; std::getline(log, line);) {
      ASSERT_EQ(line.find("StackOverflowError"), std::string::npos) << line;
    }
  }

  // Expects exact counts of the calls to a method that only the program calls.
  static void ExpectExact(const Recording& recording, const std::string& method,
                          const ProgramOutput& truth) {
    int64_t calls = 0;
    for (const Event& timing : recording.OfType("jdk.MethodTiming")) {
      const std::string name = timing.Text("method.type") + "." + timing.Text("method.name");
      if (name == method) calls += timing.Number("invocations");
    }
    EXPECT_EQ(calls, truth.Number("calls." + method.substr(method.rfind('.') + 1))) << method;
  }
};

}  // namespace jprof::test
