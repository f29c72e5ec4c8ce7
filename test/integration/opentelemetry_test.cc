// The context storage of src/java/opentelemetry under OpenTelemetry's own SDK, from Maven Central:
// a served HTTP request, with a child in its thread and one in another.
#include <map>
#include <sstream>

#include "support/jvm/jvm_test.h"
#include "support/jvm/maven.h"

namespace jprof::test {
namespace {

struct Ids {
  std::string trace, span;
};

int64_t Number(const std::string& hex) {
  return static_cast<int64_t>(std::stoull(hex, nullptr, 16));
}

class OpenTelemetryTest : public JvmTest {
 protected:
  static std::string JarFolder() { return testing::TempDir() + "jprof-opentelemetry"; }

  void SetUp() override {
    if (!FetchFromMaven("opentelemetry", "copy-dependencies", JarFolder())) {
      GTEST_SKIP() << "OpenTelemetry's SDK cannot be had from Maven Central";
    }
    const std::string sources = JavaSources();
    ProcessSpec javac;
    javac.argv = {ReaderOf(jdk()).Tool("javac"),
                  "--release",
                  "8",
                  "-Xlint:-options",
                  "-cp",
                  ClassPath(),
                  "-d",
                  folder(),
                  sources + "/../../src/java/opentelemetry/JprofContextStorage.java",
                  sources + "/opentelemetry/TracedServer.java"};
    const ProcessResult compiled = RunProcess(javac);
    ASSERT_EQ(compiled.exit_code, 0) << compiled.Describe();
  }

  std::string ClassPath() const { return JarFolder() + "/*:" + JavaLibrary() + ":" + folder(); }
};
JPROF_ON_EVERY_JDK(OpenTelemetryTest);

TEST_P(OpenTelemetryTest, SamplesHaveTheSpanThatIsCurrentAndTheRequestAsItsLocalRoot) {
  const ProcessResult run = RunProfiled("start,cpu=1ms,context,file=" + Path("out.jfr"),
                                        {"-cp", ClassPath(), "TracedServer"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  std::map<std::string, Ids> spans;  // by method
  std::istringstream lines(run.out);
  for (std::string method, trace, span; lines >> method >> trace >> span;) {
    spans[method] = {trace, span};
  }
  ASSERT_EQ(spans.size(), 3u) << run.out;
  const int64_t root = Number(spans["inRequest"].span);
  std::map<std::string, int> samples;
  for (const Event& sample : ReadSound("out.jfr").OfType(kExecutionSample)) {
    for (const auto& [method, ids] : spans) {
      if (!sample.HasFrame("TracedServer." + method)) continue;
      ++samples[method];
      EXPECT_EQ(sample.Text("traceId"), ids.trace) << method;
      EXPECT_EQ(sample.Number("spanId"), Number(ids.span)) << method;
      EXPECT_EQ(sample.Number("localRootSpanId"), root) << method;
    }
    if (sample.HasFrame("TracedServer.afterwards")) {
      ++samples["afterwards"];
      EXPECT_EQ(sample.Number("spanId"), 0);
    }
  }
  EXPECT_EQ(samples.size(), 4u);
  for (const auto& [method, count] : samples) EXPECT_GE(count, 30) << method;
}

}  // namespace
}  // namespace jprof::test
