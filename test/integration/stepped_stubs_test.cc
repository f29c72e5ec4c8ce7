// Walks at each instruction of code that the VM generates: intrinsics, stubs, adapters, and the
// interpreter's code for entries and returns. Each walk contains each of the calling methods
// exactly once. Runs only on x86-64, where the test can single-step the processor.
#include <cstdio>
#include <regex>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

// A kind of code in the code cache that belongs to no method, and is not always stepped through.
struct Kind {
  const char* names;  // regular expression for the names
  const char* why;
};
constexpr Kind kSkippedKinds[] = {
    {"(.* Runtime1 stub|_.*_Java|(resolve|ic_miss|wrong_method)_.*|.* throw_exception)",
     "stubs that call the VM are walked by the size of their frames: one is like the other"},
    {"(Shared|C1|C2) Runtime .*", "the same, as JDK 25 names them"},
    {".*_blob \\((shared|C1|C2) runtime\\)", "the same, as JDK 27 names them"},
    {"(_notify_jvmti_vthread|jfr)_.*", "the same, as JDK 21 names some of them"},
    {"(Deoptimization|UncommonTrap|Safepoint|Exception)Blob", "of one compiler"},
    {"(I2C/C2I|MethodHandles) adapters", "of compiled code, or of interpreted"},
    {"StubRoutines \\((2|3|.*stubs?|.* stubs)\\)", "no task calls them in this mode"},
    {"g1_.*_slow", "of the collector's concurrent work"},
    {"(vtable chunks|InlineCacheBuffer)", "of compiled code"},
    {"jni_fast_Get.*Field", "native code's own way to a field"},
    {"adapters|.*([Tt]emp|temporary).*[Bb]uffer", "memory in which code is made"},
    {"(VM_Version|get_cpu_info|getCPUIDBrandString|flush_icache|detect_virt).*",
     "runs before there is Java"},
};

// Returns the reason why the code is not stepped through; empty if there is none.
std::string ReasonNotStepped(const std::string& name) {
  for (const Kind& kind : kSkippedKinds) {
    if (std::regex_match(name, std::regex(kind.names))) return kind.why;
  }
  return {};
}

class SteppedStubsTest : public JvmTest {
 protected:
  // Steps through all tasks. Each of them is first called `warm_up` times.
  void Step(const std::string& mode, int warm_up) {
    // These two methods stay interpreted. They leave interpreted frames on the stack, in the place
    // where the code under test then has its frames.
    ProcessSpec spec =
        Java({"Stepped", std::to_string(warm_up)},
             {"-agentpath:" + NativeLibraryFolder() + "/libwalk_probe.so=step=1", mode,
              "-XX:CompileCommand=quiet", "-XX:CompileCommand=exclude,Stepped::stale",
              "-XX:CompileCommand=exclude,Stepped::same"});
    spec.timeout = std::chrono::minutes(5);
    const ProcessResult run = RunProcess(spec);
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput out(run.out);
    const std::vector<std::string> labels = LabelsOf(run.out);
    EXPECT_EQ(static_cast<double>(labels.size()), out.Number("tasks"));
    double all = 0;
    double wrong = 0;
    for (const std::string& label : labels) {
      const double steps = out.Number("steps." + label);
      const double missed = out.Number("wrong." + label);
      EXPECT_GE(steps, 100) << label;
      all += steps;
      wrong += missed;
    }
    printf("%s: %.0f of %.0f steps without their callers\n", mode.c_str(), wrong, all);
    EXPECT_GE(all, 100'000);
    // Walks may fail where the VM does not describe the frames: where it forwards an exception,
    // where it makes or removes frames, and where the compiler has mixed the instructions of a
    // method with those of its caller.
    EXPECT_LE(wrong, all / 500) << run.out;
    ExpectEachKind(run.out);
  }

 private:
  // Expects that every kind of code is stepped through or is in kSkippedKinds. If a release of the
  // JDK brings a new kind, this fails until the kind has been examined.
  static void ExpectEachKind(const std::string& output) {
    const ProgramOutput out(output);
    double steps_in_stubs = 0;
    for (const std::string& name : NamesAfter("\ncode.", output)) {
      const double steps = out.Number("code." + name);
      if (name != "Interpreter" && name.find("StubRoutines") != 0) steps_in_stubs += steps;
      if (steps == 0) {
        EXPECT_NE(ReasonNotStepped(name), "") << name;
      }
    }
    EXPECT_GT(out.Number("code.Interpreter"), 0);
    EXPECT_GT(steps_in_stubs, 0);
  }

  static std::vector<std::string> LabelsOf(const std::string& output) {
    return NamesAfter("\nsteps.", output);
  }

  static std::vector<std::string> NamesAfter(const std::string& begin, const std::string& output) {
    std::vector<std::string> labels;
    for (size_t at = output.find(begin); at != std::string::npos; at = output.find(begin, at + 1)) {
      const size_t from = at + begin.size();
      labels.push_back(output.substr(from, output.find('=', from) - from));
    }
    return labels;
  }
};
JPROF_ON_EVERY_JDK(SteppedStubsTest);

TEST_P(SteppedStubsTest, Interpreted) { Step("-Xint", 5); }

TEST_P(SteppedStubsTest, CompiledByC1) { Step("-XX:TieredStopAtLevel=1", 3000); }

TEST_P(SteppedStubsTest, CompiledByC2) { Step("-XX:-TieredCompilation", 12000); }

}  // namespace
}  // namespace jprof::test
