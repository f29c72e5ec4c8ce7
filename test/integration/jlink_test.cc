// A runtime image of jlink that has the module java.base alone, as small containers have it.
#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

constexpr int kFirstMajorWithJlink = 9;
constexpr int kCalls = 50'000;  // take about half a second
constexpr char kEngines[] = "cpu=1ms,wall=10ms,alloc=64k,lock,trace=BaseOnly.call";

class JlinkTest : public CliTest {
 protected:
  void SetUp() override {
    ProcessSpec jlink;
    jlink.argv = {jdk().Tool("jlink"), "--add-modules", "java.base", "--output", Path("runtime")};
    const ProcessResult made = RunProcess(jlink);
    ASSERT_EQ(made.exit_code, 0) << made.Describe();
    ProcessSpec modules;
    modules.argv = {Path("runtime/bin/java"), "--list-modules"};
    const ProcessResult listed = RunProcess(modules);
    ASSERT_EQ(listed.out.find('\n'), listed.out.size() - 1) << listed.Describe();
  }

  ProcessSpec Program(const std::vector<std::string>& jvm_arguments) const {
    ProcessSpec spec = Java({"BaseOnly", std::to_string(kCalls)}, jvm_arguments);
    spec.argv[0] = Path("runtime/bin/java");
    return spec;
  }

  void ExpectAllKinds(const std::string& file, const ProcessResult& run) const {
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const Recording recording = ReadSound(file);
    const auto in_call = [&recording](const char* type) {
      int count = 0;
      for (const Event& event : recording.OfType(type)) count += event.HasFrame("BaseOnly.call");
      return count;
    };
    EXPECT_GE(in_call(kExecutionSample), 50);
    // One sample for every 64 kB, and 10 kB in each call.
    EXPECT_GE(in_call("jdk.ObjectAllocationSample"), 0.8 * kCalls * 10 / 64);
    auto wall = NanosByThread(recording, kWallClockSample, std::chrono::milliseconds(10));
    const double elapsed = ProgramOutput(run.out).Number("elapsed");
    EXPECT_GE(wall["main"], 0.9 * elapsed);
    EXPECT_GE(wall["waiting"], 0.9 * elapsed);
    int64_t calls = 0;
    for (const Event& timing : recording.OfType("jdk.MethodTiming")) {
      calls += timing.Number("invocations");
    }
    EXPECT_EQ(calls, kCalls);
  }
};
JPROF_ON_JDKS_FROM(kFirstMajorWithJlink, JlinkTest);

TEST_P(JlinkTest, RecordsFromTheLaunchOn) {
  ProcessSpec spec =
      Program({AgentArgument(std::string("start,") + kEngines + ",file=" + Path("launched.jfr"))});
  spec.stdin_text = "\n";
  ExpectAllKinds("launched.jfr", RunProcess(spec));
}

TEST_P(JlinkTest, RecordsAfterAnAttach) {
  auto program = RunningProcess::Start(Program({}));
  ASSERT_TRUE(program.ok()) << program.error().message();
  ASSERT_TRUE(program.value().WaitForLine("ready=").ok());
  const ProcessResult started = JprofOn(
      program.value().pid(), {"start", "-e", "cpu", "-i", "1ms", "--wall", "10ms", "--alloc=64k",
                              "--lock", "--trace", "BaseOnly.call", "-o", "attached.jfr"});
  ASSERT_EQ(started.exit_code, 0) << started.Describe();
  program.value().WriteLine("");
  ExpectAllKinds("attached.jfr", program.value().Wait());
}

}  // namespace
}  // namespace jprof::test
