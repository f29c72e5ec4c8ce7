// SignalChainsTest: fixture for a program with recordings, and with a library that installs its own
// handlers for the signals that we use (test/java/workloads/SignalChains.java).
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "support/jvm/jvm_test.h"

namespace jprof::test {

using Steps = std::vector<std::string>;

class SignalChainsTest : public JvmTest {
 protected:
  static constexpr int kNullsOfAStep = 20'000;
  static constexpr int kOverflowsOfAStep = 4;

  ProcessSpec Program(const Steps& steps, std::vector<std::string> jvm_arguments = {}) const {
    std::vector<std::string> program = {
        "SignalChains", AgentLibrary(),
        "start,event=ctimer,interval=1ms,wall=5ms,file=" + Path("out.jfr"), NativeLibraryFolder()};
    program.insert(program.end(), steps.begin(), steps.end());
    for (const char* argument :
         {"-XX:TieredStopAtLevel=1", "-XX:-OmitStackTraceInFastThrow", "-Xmx256m"}) {
      jvm_arguments.emplace_back(argument);  // compiled code detects every null pointer by a fault
    }
    return Java(program, jvm_arguments);
  }

  ProcessSpec UnderLibjsig(ProcessSpec spec) const {
    spec.env.emplace_back("LD_PRELOAD", jdk().home + "/lib/libjsig.so");
    return spec;
  }

  // Expects that the program survives its faults, and that the profiler walks its stacks.
  static void ExpectHealthy(const ProcessResult& run) {
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    EXPECT_EQ(ProgramOutput(run.out).Number("wrong"), 0);
    EXPECT_THAT(run.out + run.err, testing::Not(testing::HasSubstr("handler modified")));
    EXPECT_THAT(run.err, testing::Not(testing::HasSubstr("walked by AsyncGetCallTrace")));
  }

  static void ExpectHealthy(const ProcessResult& run, const Steps& steps) {
    ASSERT_NO_FATAL_FAILURE(ExpectHealthy(run));
    const ProgramOutput truth(run.out);
    const auto faults = std::count(steps.begin(), steps.end(), "faults");
    EXPECT_EQ(truth.Number("nulls"), static_cast<double>(faults * kNullsOfAStep));
    EXPECT_EQ(truth.Number("overflows"), static_cast<double>(faults * kOverflowsOfAStep));
  }

  // Runs the steps, and expects that the profiler refuses no command.
  ProcessResult RunWell(const Steps& steps) const {
    ProcessResult run = RunProcess(Program(steps));
    ExpectHealthy(run, steps);
    EXPECT_THAT(run.out, testing::Not(testing::HasSubstr("failed: "))) << run.Describe();
    return run;
  }
};

}  // namespace jprof::test
