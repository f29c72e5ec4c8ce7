// The context storage of src/java/opentelemetry, with OpenTelemetry's own SDK from Maven Central or
// as an extension of OpenTelemetry's javaagent. The program serves an HTTP request that has two
// child spans, one in its own thread and one in another.
#include <algorithm>
#include <filesystem>
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
                  sources + "/opentelemetry/TracedServer.java",
                  sources + "/opentelemetry/ClosedScopes.java",
                  sources + "/opentelemetry/AgentServer.java"};
    const ProcessResult compiled = RunProcess(javac);
    ASSERT_EQ(compiled.exit_code, 0) << compiled.Describe();
  }

  // Returns the ids that the program prints, by the method that runs in the span.
  static std::map<std::string, Ids> SpansIn(const std::string& output) {
    std::map<std::string, Ids> spans;
    std::istringstream lines(output);
    for (std::string method, trace, span; lines >> method >> trace >> span;) {
      spans[method] = {trace, span};
    }
    return spans;
  }

  std::string ClassPath() const { return JarFolder() + "/*:" + JavaLibrary() + ":" + folder(); }
};
JPROF_ON_EVERY_JDK(OpenTelemetryTest);

TEST_P(OpenTelemetryTest, SamplesHaveTheCurrentSpanAndItsLocalRoot) {
  const ProcessResult run = RunProfiled("start,cpu=1ms,context,file=" + Path("out.jfr"),
                                        {"-cp", ClassPath(), "TracedServer"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const std::map<std::string, Ids> spans = SpansIn(run.out);
  ASSERT_EQ(spans.size(), 3u) << run.out;
  const int64_t root = Number(spans.at("inRequest").span);
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

TEST_P(OpenTelemetryTest, ASpanContinuesWhenItsClosingIsIgnored) {
  const ProcessResult run =
      RunProfiled("start,cpu=1ms,context,spans,attributes=tenant,file=" + Path("out.jfr"),
                  {"-cp", ClassPath(), "ClosedScopes"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const std::map<std::string, Ids> spans = SpansIn(run.out);
  ASSERT_EQ(spans.size(), 2u) << run.out;
  const Recording recording = ReadSound("out.jfr");
  const int64_t outer = Number(spans.at("inOuter").span);
  std::map<std::string, int> samples;
  int64_t last_ns = 0;  // time of the last sample of the outer span
  for (const Event& sample : recording.OfType(kExecutionSample)) {
    for (const std::string method : {"inOuter", "inInner", "inNone"}) {
      if (!sample.HasFrame("ClosedScopes." + method)) continue;
      ++samples[method];
      const int64_t span = method == "inNone" ? 0 : Number(spans.at(method).span);
      EXPECT_EQ(sample.Number("spanId"), span) << method;
      EXPECT_EQ(sample.Text("tenant"), ThreadName(sample) == "main" ? "t1" : kUnresolved) << method;
      if (span == outer) last_ns = std::max(last_ns, sample.Number("startTime"));
    }
  }
  for (const auto& [method, count] : samples) EXPECT_GE(count, 30) << method;
  EXPECT_EQ(samples.size(), 3u);
  std::map<int64_t, int> events;
  for (const Event& event : recording.OfType("profiler.Span")) {
    ++events[event.Number("spanId")];
    if (event.Number("spanId") != outer) continue;
    EXPECT_GE(event.Number("startTime") + event.Number("duration"), last_ns);
  }
  EXPECT_EQ(events, (std::map<int64_t, int>{{outer, 1}, {Number(spans.at("inInner").span), 2}}));
}

// Runs with OpenTelemetry's javaagent, which has its own context API.
class OpenTelemetryAgentTest : public OpenTelemetryTest {
 protected:
  static std::string AgentFolder() { return testing::TempDir() + "jprof-opentelemetry-agent"; }

  void SetUp() override {
    if (!FetchFromMaven("opentelemetry_agent", "copy-dependencies", AgentFolder())) {
      GTEST_SKIP() << "OpenTelemetry's javaagent cannot be had from Maven Central";
    }
    OpenTelemetryTest::SetUp();
  }

  ProcessResult RunAgent(const std::vector<std::string>& arguments, bool is_extended) const {
    std::vector<std::string> jvm_arguments;
    for (const auto& entry : std::filesystem::directory_iterator(AgentFolder())) {
      if (entry.path().extension() == ".jar") {
        jvm_arguments.push_back("-javaagent:" + entry.path().string());
      }
    }
    for (const std::string signal : {"traces", "metrics", "logs"}) {
      jvm_arguments.push_back("-Dotel." + signal + ".exporter=none");
    }
    if (is_extended) {
      const std::filesystem::path library = JavaLibrary();
      jvm_arguments.push_back("-Dotel.javaagent.extensions=" +
                              (library.parent_path() / "jprof-opentelemetry.jar").string());
    }
    std::vector<std::string> program = {"-cp", ClassPath(), "AgentServer"};
    program.insert(program.end(), arguments.begin(), arguments.end());
    ProcessResult run =
        RunProfiled("start,cpu=1ms,context,spans,file=" + Path("out.jfr"), program, jvm_arguments);
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    return run;
  }

  void ExpectSpansOfAgent(const std::string& output) const {
    const std::map<std::string, Ids> spans = SpansIn(output);
    ASSERT_EQ(spans.size(), 2u) << output;
    const Recording recording = ReadSound("out.jfr");
    std::map<std::string, int> samples;
    for (const Event& sample : recording.OfType(kExecutionSample)) {
      for (const auto& [method, ids] : spans) {
        if (!sample.HasFrame("AgentServer." + method)) continue;
        ++samples[method];
        EXPECT_EQ(sample.Text("traceId"), ids.trace) << method;
        EXPECT_EQ(sample.Number("spanId"), Number(ids.span)) << method;
      }
      if (sample.HasFrame("AgentServer.outside")) {
        ++samples["outside"];
        EXPECT_EQ(sample.Number("spanId"), 0);
      }
    }
    EXPECT_EQ(samples.size(), 3u);
    for (const auto& [method, count] : samples) EXPECT_GE(count, 30) << method;
    std::map<int64_t, int> events;
    for (const Event& event : recording.OfType("profiler.Span")) ++events[event.Number("spanId")];
    EXPECT_GE(events[Number(spans.at("inRequest").span)], 1);
  }

  static constexpr char kBlind[] = "does not see the spans of OpenTelemetry's javaagent";
};
JPROF_ON_EVERY_JDK(OpenTelemetryAgentTest);

TEST_P(OpenTelemetryAgentTest, TheExtensionKnowsTheSpansOfTheAgent) {
  const ProcessResult run = RunAgent({}, true);
  ExpectSpansOfAgent(run.out);
  EXPECT_EQ(AgentLog(run.err).LinesWith(kBlind), 0) << run.err;
}

TEST_P(OpenTelemetryAgentTest, TheProgramCanUseTheStorageWithTheExtension) {
  const ProcessResult run = RunAgent({"install"}, true);
  ExpectSpansOfAgent(run.out);
  EXPECT_EQ(AgentLog(run.err).LinesWith(kBlind), 0) << run.err;
}

TEST_P(OpenTelemetryAgentTest, TheStorageWarnsThatItIsBlind) {
  const ProcessResult run = RunAgent({"install"}, false);
  EXPECT_EQ(AgentLog(run.err).LinesWith(kBlind), 1) << run.err;
}

}  // namespace
}  // namespace jprof::test
