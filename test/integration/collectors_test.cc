// A recording under every collector that the JVM has, while the JVM checks our JNI calls.
#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kCollectors[] = {"-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC",
                                       "-XX:+UseZGC", "-XX:+UseShenandoahGC"};

class CollectorsTest : public CliTest {
 protected:
  // Returns how many of the collectors the JVM has.
  int TryAll(const std::vector<std::string>& options);
  void Record(ServerProcess& server, const std::string& collector);
};
JPROF_ON_EVERY_JDK(CollectorsTest);

int CollectorsTest::TryAll(const std::vector<std::string>& options) {
  int tried = 0;
  for (const std::string collector : kCollectors) {
    // Without AllowUserSignalHandlers, -Xcheck:jni also checks the JVM's signal handlers. The
    // profiler would then leave them alone, and walk the stacks by AsyncGetCallTrace.
    std::vector<std::string> all = {collector, "-Xcheck:jni", "-XX:+AllowUserSignalHandlers"};
    all.insert(all.end(), options.begin(), options.end());
    auto server = ServerProcess::Start(Java({"Server", "1", "2"}, all));
    if (!server.ok()) continue;  // not in this JDK
    ++tried;
    Record(server.value(), collector);
  }
  return tried;
}

void CollectorsTest::Record(ServerProcess& server, const std::string& collector) {
  const pid_t pid = server.pid();
  EXPECT_THAT(JprofOn(pid, {"start", "-e", "cpu,wall,alloc", "-o", "out.jfr"}),
              Printed("recording"))
      << collector;
  server.AwaitCpu(0.2 * kSecond);
  EXPECT_THAT(JprofOn(pid, {"dump"}), Printed("dumped"));
  EXPECT_THAT(JprofOn(pid, {"status"}), Printed("state     recording"));
  EXPECT_THAT(JprofOn(pid, {"stop"}), Printed("stopped"));
  EXPECT_FALSE(SamplesOf(ReadSound("out.jfr"), kExecutionSample, "busy-0").empty()) << collector;
  const ProcessResult end = server.Quit();
  EXPECT_EQ(end.exit_code, 0) << end.Describe();
  // The launcher of JDK 8 itself makes wrong JNI calls, before the program prints "ready=".
  const std::string out = end.out.substr(std::min(end.out.find("ready="), end.out.size()));
  for (const std::string& text : {out, end.err}) {
    EXPECT_THAT(text, Not(HasSubstr("AsyncGetCallTrace"))) << collector;
    EXPECT_THAT(text, Not(HasSubstr("in native method"))) << collector;
    EXPECT_THAT(text, Not(HasSubstr("JNI local refs"))) << collector;
  }
}

TEST_P(CollectorsTest, EveryCommandWorksAndNoJniCallIsWrong) {
  EXPECT_GE(TryAll({}), jdk().major == 8 ? 3 : 4);
}

// Headers of objects without a word for the class.
class CompactHeadersTest : public CollectorsTest {};
JPROF_ON_JDKS_FROM(25, CompactHeadersTest);

TEST_P(CompactHeadersTest, EveryCommandWorks) {
  EXPECT_GE(TryAll({"-XX:+UseCompactObjectHeaders"}), 4);
}

}  // namespace
}  // namespace jprof::test
