// A recording under every collector that the JVM has, while the JVM checks our JNI calls.
#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kCollectors[] = {"-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC",
                                       "-XX:+UseZGC", "-XX:+UseShenandoahGC"};

class CollectorsTest : public CliTest {};
JPROF_ON_EVERY_JDK(CollectorsTest);

TEST_P(CollectorsTest, EveryCommandWorksAndNoJniCallIsWrong) {
  int tried = 0;
  for (const std::string collector : kCollectors) {
    // Without AllowUserSignalHandlers, -Xcheck:jni also checks the JVM's signal handlers. The
    // profiler would then leave them alone, and walk the stacks by AsyncGetCallTrace.
    auto server = ServerProcess::Start(
        Java({"Server", "1", "2"}, {collector, "-Xcheck:jni", "-XX:+AllowUserSignalHandlers"}));
    if (!server.ok()) continue;  // not in this JDK
    ++tried;
    const pid_t pid = server.value().pid();
    EXPECT_THAT(JprofOn(pid, {"start", "-e", "cpu,wall", "-o", "out.jfr"}), Printed("recording"))
        << collector;
    server.value().AwaitCpu(0.2 * kSecond);
    EXPECT_THAT(JprofOn(pid, {"dump"}), Printed("dumped"));
    EXPECT_THAT(JprofOn(pid, {"status"}), Printed("state     recording"));
    EXPECT_THAT(JprofOn(pid, {"stop"}), Printed("stopped"));
    EXPECT_FALSE(SamplesOf(ReadSound("out.jfr"), kExecutionSample, "busy-0").empty()) << collector;
    const ProcessResult end = server.value().Quit();
    EXPECT_EQ(end.exit_code, 0) << end.Describe();
    // The launcher of JDK 8 itself makes wrong JNI calls, before the program prints "ready=".
    const std::string out = end.out.substr(std::min(end.out.find("ready="), end.out.size()));
    for (const std::string& text : {out, end.err}) {
      EXPECT_THAT(text, Not(HasSubstr("AsyncGetCallTrace"))) << collector;
      EXPECT_THAT(text, Not(HasSubstr("in native method"))) << collector;
      EXPECT_THAT(text, Not(HasSubstr("JNI local refs"))) << collector;
    }
  }
  EXPECT_GE(tried, jdk().major == 8 ? 3 : 4);
}

}  // namespace
}  // namespace jprof::test
