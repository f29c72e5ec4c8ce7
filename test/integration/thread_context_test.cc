// Trace contexts (jprof.ThreadContext): each sample carries the context that its thread had set.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

constexpr int kThreads = 2;
constexpr const char* kAllocatedObject = "profiler.AllocatedObject";

// Same function as Contexts.mix.
int64_t Mix(int64_t span) {
  const auto bits = static_cast<uint64_t>(span);
  const uint64_t mixed = (bits ^ bits >> 32) * 0x9E3779B97F4A7C15ULL;
  return static_cast<int64_t>(mixed ^ mixed >> 29);
}

// Expects that the next frame is the method that calls this one.
void ExpectItsCaller(const Event& sample, size_t i) {
  const std::string& method = sample.frames[i].method;
  if (!method.starts_with("Contexts.") || i + 1 == sample.frames.size()) return;
  const char* const caller = method.ends_with(".none")    ? "Contexts.work"
                             : method.ends_with(".span4") ? "Contexts.nested"
                                                          : "Contexts.call";
  EXPECT_EQ(sample.frames[i + 1].method, caller) << "of " << method;
}

// Returns the N of the method spanN in the stack, 0 for the method none, -1 for neither.
int MarkerOf(const Event& sample) {
  // A stack that could not be walked to its root can contain a stale frame.
  if (std::ranges::any_of(sample.frames, [](const Frame& frame) {
        return frame.method.starts_with("jprof.[break");
      })) {
    return -1;
  }
  for (size_t i = 0; i < sample.frames.size(); ++i) {
    const std::string& method = sample.frames[i].method;
    const bool is_none = method.ends_with(".none") || method.ends_with(".visitor_outside");
    const bool is_span =
        method.find("Context") != std::string::npos && method.find(".span") != std::string::npos;
    if (!is_none && !is_span) continue;
    ExpectItsCaller(sample, i);
    return is_none ? 0 : method.back() - '0';
  }
  return -1;
}

std::vector<Event> SamplesIn(const Recording& recording) {
  std::vector<Event> samples = recording.events();
  std::erase_if(samples, [](const Event& event) {
    return event.type != kExecutionSample && event.type != kWallClockSample &&
           event.type != kAllocatedObject;
  });
  return samples;
}

class ContextTest : public JvmTest {
 protected:
  static std::vector<std::string> Program(const std::string& name,
                                          const std::vector<std::string>& arguments) {
    std::vector<std::string> program = {"-cp", ContextClasses(), name};
    program.insert(program.end(), arguments.begin(), arguments.end());
    return program;
  }

  // Returns the options that keep these methods from being inlined: inlined frames are known only
  // at some instructions.
  static std::vector<std::string> WithoutInlining() {
    return {"-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Contexts.span*",
            "-XX:CompileCommand=dontinline,Contexts.none"};
  }

  std::vector<Event> Samples(const std::string& options,
                             const std::vector<std::string>& arguments) {
    const ProcessResult run = RunProfiled("start," + options + ",file=" + Path("out.jfr"),
                                          Program("Contexts", arguments), WithoutInlining());
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    EXPECT_EQ(ProgramOutput(run.out).Number("active"), 1);
    return SamplesIn(ReadSound("out.jfr"));
  }

  // Runs ContextCases, and expects that each marked sample has the span in the name of its method.
  // Returns the number of samples by marker.
  std::map<int, int> CasesByMarker(const std::vector<std::string>& name) {
    run_ = RunProfiled(
        "start,cpu=1ms,trace=ContextCases.span*:0+ContextCases.none:0,context,"
        "attributes=tenant;route,file=" +
            Path("out.jfr"),
        Program("ContextCases", name));
    EXPECT_EQ(run_.exit_code, 0) << run_.Describe();
    return ExpectMarkedSpans(ReadSound("out.jfr"));
  }

  static std::map<int, int> ExpectMarkedSpans(const Recording& recording) {
    std::map<int, int> by_marker;
    for (const Event& sample : SamplesIn(recording)) {
      const int marker = MarkerOf(sample);
      if (marker < 0) continue;
      ++by_marker[marker];
      EXPECT_EQ(sample.Number("spanId"), marker) << ThreadName(sample);
    }
    return by_marker;
  }

  void ExpectCopiesWriteOneContext(const std::vector<std::string>& arguments) {
    std::map<int, int> samples = CasesByMarker(arguments);
    EXPECT_EQ(ProgramOutput(run_.out).Number("copies"), 2);
    EXPECT_EQ(ProgramOutput(run_.out).Number("tagged"), 1);
    EXPECT_GE(samples[0], 50);
    EXPECT_GE(samples[1], 50);
    EXPECT_GE(samples[2], 25);
  }

  // Runs the case `scopes`: each scope is an event with its times and the context of its span.
  void ExpectEachScopeOnce(const std::vector<std::string>& arguments);

  ProcessResult run_;
};
JPROF_ON_EVERY_JDK(ContextTest);

void ExpectOwnContext(const Event& sample, int marker) {
  const int64_t span = sample.Number("spanId");
  EXPECT_EQ(span & 15, marker) << sample.type << ' ' << std::hex << span;
  EXPECT_EQ(sample.Number("localRootSpanId"), marker == 0 ? 0 : Mix(span)) << std::hex << span;
  if (marker == 0) {
    EXPECT_EQ(span, 0);
    return;
  }
  const std::string thread =
      sample.type == kAllocatedObject ? sample.Text("eventThread.javaName") : ThreadName(sample);
  EXPECT_EQ(thread, "worker-" + std::to_string(span >> 4 & 0xfffffff));
}

TEST_P(ContextTest, EachSampleOfAMarkedMethodHasExactlyItsContext) {
  const bool has_alloc = jdk().major >= 11;  // JEP 331
  const std::vector<Event> samples =
      Samples(has_alloc ? "cpu=1ms,wall=5ms,alloc=16k,context" : "cpu=1ms,wall=5ms,context",
              {std::to_string(kThreads), "20000", "20000"});
  int marked = 0;
  int allocated = 0;
  for (const Event& sample : samples) {
    const int marker = MarkerOf(sample);
    if (marker < 0) continue;
    ExpectOwnContext(sample, marker);
    ++(sample.type == kAllocatedObject ? allocated : marked);
  }
  EXPECT_GE(marked, 500);
  EXPECT_GE(allocated, has_alloc ? 100 : 0);  // 45 000 arrays of 272 bytes
}

// Each thread makes some million changes a second under the fastest sampling: the handler
// interrupts most instructions of a change. thread_context_long_test runs longer.
TEST_P(ContextTest, NoSampleHasATornOrAnOldContextWhileContextsChange) {
  int64_t marked = 0;
  std::map<std::string, std::vector<std::pair<int64_t, int64_t>>> turns_by_time;
  for (const Event& sample :
       Samples("cpu=100us,context", {std::to_string(kThreads), "3000000", "50"})) {
    const int64_t span = sample.Number("spanId");
    if (span != 0) {
      EXPECT_EQ(sample.Number("localRootSpanId"), Mix(span)) << std::hex << span;
      EXPECT_EQ(ThreadName(sample), "worker-" + std::to_string(span >> 4 & 0xfffffff));
      turns_by_time[ThreadName(sample)].emplace_back(sample.Number("startTime"), span >> 32);
    }
    const int marker = MarkerOf(sample);
    if (marker < 0) continue;
    ExpectOwnContext(sample, marker);
    ++marked;
  }
  EXPECT_GE(marked, 1000);
  for (auto& [thread, samples] : turns_by_time) {
    std::ranges::sort(samples);
    EXPECT_TRUE(std::ranges::is_sorted(samples, {}, &std::pair<int64_t, int64_t>::second))
        << "a context of " << thread << " is older than one before it";
  }
}

TEST_P(ContextTest, ScopesRestoreAndContextsEndWithTheirThreads) {
  std::map<int, int> samples = CasesByMarker({"ends"});
  EXPECT_GE(samples[0], 50);
  EXPECT_GE(samples[1], 50);
  EXPECT_GE(samples[2], 40);
  // Each call has the context that its thread has at the end of the call.
  std::map<std::string, int> calls;
  for (const Event& call : ReadSound("out.jfr").OfType("jdk.MethodTrace")) {
    const std::string method = call.Text("method.name");
    ++calls[method];
    EXPECT_EQ(call.Number("spanId"), method == "none" ? 0 : method.back() - '0');
  }
  EXPECT_EQ(calls["none"], 21);
  EXPECT_EQ(calls["span1"], 23);
  EXPECT_EQ(calls["span2"], 2);
}

TEST_P(ContextTest, CopiesOfTheClassInTwoClassLoadersWriteOneContext) {
  ExpectCopiesWriteOneContext({"loaders"});
}

TEST_P(ContextTest, LeavesAClassAloneThatHasTheNameAndLacksNatives) {
  run_ = RunProcess(
      Java({"OtherThreadContext", AgentLibrary(), "start,cpu,context,file=" + Path("out.jfr"),
            NativeLibraryFolder(), folder()}));
  ASSERT_EQ(run_.exit_code, 0) << run_.Describe();
  EXPECT_THAT(run_.out, testing::HasSubstr("start=recording cpu")) << run_.Describe();
  EXPECT_EQ(ProgramOutput(run_.out).Number("touched"), 0) << run_.Describe();
}

TEST_P(ContextTest, TagsAreCutAndRefusedAtTheirLimits) {
  CasesByMarker({"tags"});
  std::string route;  // 85 characters of 3 bytes
  for (int i = 0; i < 85; ++i) route += "\u7dd2";
  int tagged = 0;
  int untagged = 0;
  for (const Event& sample : SamplesIn(ReadSound("out.jfr"))) {
    const int marker = MarkerOf(sample);
    if (marker < 0) continue;
    const bool has_tags = marker != 0;
    EXPECT_EQ(sample.Text("tenant"), has_tags ? "f\u00e4dchen \U0001f9f5" : kUnresolved);
    EXPECT_EQ(sample.Text("route"), marker == 1 ? route : kUnresolved);
    EXPECT_EQ(sample.Text("traceId"),
              marker == 1 ? "0123456789abcdeffedcba9876543210" : kUnresolved);
    ++(has_tags ? tagged : untagged);
  }
  EXPECT_GE(tagged, 100);
  EXPECT_GE(untagged, 50);
  const ProgramOutput said(run_.out);
  for (const std::string accepted : {"set", "changed", "cut", "removed", "first", "second"}) {
    EXPECT_EQ(said.Number(accepted), 1) << accepted;
  }
  for (const std::string refused : {"full", "name"}) EXPECT_EQ(said.Number(refused), 0) << refused;
  // There are 255 names, of which 5 were used before: tenant, route, a, b, c.
  EXPECT_EQ(said.Number("names"), 250);
}

TEST_P(ContextTest, WithoutSuchARecordingSamplesHaveNoFieldsAndCallsNoEffect) {
  const ProcessResult plain = RunProcess(Java(Program("Contexts", {"1", "10", "20000"})));
  EXPECT_EQ(plain.exit_code, 0) << plain.Describe();
  EXPECT_EQ(plain.err, "");
  EXPECT_EQ(ProgramOutput(plain.out).Number("active"), 0);
  run_ = RunProfiled("start,cpu=1ms,file=" + Path("out.jfr"),
                     Program("Contexts", {"1", "5000", "20000"}));
  EXPECT_EQ(run_.exit_code, 0) << run_.Describe();
  EXPECT_EQ(ProgramOutput(run_.out).Number("active"), 0);
  for (const Event& sample : SamplesIn(ReadSound("out.jfr"))) {
    EXPECT_FALSE(sample.Has("spanId"));
  }
}

// JDK 8 is left out: its jcmd has no JVMTI.agent_load.
class AttachedContextTest : public ContextTest {};
JPROF_ON_JDKS_FROM(9, AttachedContextTest);

// Contexts that were set before the first recording are unknown; later ones are known, including
// those set between recordings.
TEST_P(AttachedContextTest, ALaterAgentKnowsContextsSetFromThenOn) {
  auto program = RunningProcess::Start(Java(Program("ContextCases", {"waits"})));
  ASSERT_TRUE(program.ok()) << program.error().message();
  RunningProcess& running = program.value();
  ASSERT_TRUE(running.WaitForLine("ready").ok());
  const auto tell = [&](const std::string& word) {
    running.WriteLine(word);
    EXPECT_TRUE(running.WaitForLine("ok").ok()) << word;
  };
  const auto start = [&](const std::string& file) {
    const AttachResult started = Attach(running.pid(), "start,cpu=1ms,context,file=" + Path(file));
    EXPECT_TRUE(started.Accepted()) << started.output;
  };
  const auto stop = [&] { EXPECT_TRUE(Attach(running.pid(), "stop").Accepted()); };
  tell("put1");
  start("first.jfr");
  for (const char* word : {"none", "put1", "span1", "put2", "span2"}) tell(word);
  stop();
  tell("put1");
  start("second.jfr");
  for (const char* word : {"span1", "clear", "none"}) tell(word);
  stop();
  tell("put2");
  start("third.jfr");
  for (const char* word : {"span2", "put1", "span1"}) tell(word);
  stop();
  running.WriteLine("end");
  EXPECT_EQ(running.Wait().exit_code, 0);
  const std::vector<std::pair<std::string, std::vector<int>>> expected = {
      {"first.jfr", {0, 1, 2}}, {"second.jfr", {0, 1}}, {"third.jfr", {1, 2}}};
  for (const auto& [file, markers] : expected) {
    std::map<int, int> samples = ExpectMarkedSpans(ReadSound(file));
    EXPECT_EQ(samples.size(), markers.size()) << file;
    for (const int marker : markers) EXPECT_GE(samples[marker], 50) << file << ' ' << marker;
  }
}

// A child of fork has no context and does not affect that of its parent.
TEST_P(ContextTest, ANativeThreadThatDetachesLeavesItsContextBehind) {
  run_ = RunProfiled("start,cpu=1ms,context,file=" + Path("out.jfr"), Program("VisitorContext", {}),
                     {"-Djava.library.path=" + NativeLibraryFolder()});
  ASSERT_EQ(run_.exit_code, 0) << run_.Describe();
  std::map<int, int> samples = ExpectMarkedSpans(ReadSound("out.jfr"));
  EXPECT_GE(samples[1], 250) << "put in the event of its start; and after a fork";
  EXPECT_GE(samples[0], 250) << "outside of the JVM, and in it again";
  EXPECT_GE(samples[2], 100) << "put when it is back";
  EXPECT_EQ(ProgramOutput(run_.out).Number("child"), 0) << "has a process context";
}

void ContextTest::ExpectEachScopeOnce(const std::vector<std::string>& arguments) {
  run_ = RunProfiled("start,cpu,context,spans,attributes=tenant,file=" + Path("out.jfr"),
                     Program("ContextCases", arguments));
  ASSERT_EQ(run_.exit_code, 0) << run_.Describe();
  constexpr double kTicksNs = 200;  // two roundings of the times in the file
  const ProgramOutput said(run_.out);
  std::map<int64_t, Event> spans;
  for (const Event& event : ReadSound("out.jfr").OfType("profiler.Span")) {
    const int64_t span = event.Number("spanId");
    EXPECT_TRUE(spans.emplace(span, event).second) << span << " twice";
  }
  ASSERT_EQ(spans.size(), 200u);
  const int64_t first_ns = spans.at(1).Number("startTime");
  for (const auto& [span, event] : spans) {
    const std::string number = std::to_string(span);
    EXPECT_EQ(event.Number("localRootSpanId"), 7);
    EXPECT_EQ(event.Text("traceId"), "00000000000000000000000000000005");
    EXPECT_EQ(event.Text("tenant"), "t" + number);
    EXPECT_EQ(event.Text("eventThread.javaName"), "worker");
    const auto duration_ns = static_cast<double>(event.Number("duration"));
    EXPECT_GE(duration_ns,
              said.Number("closed" + number) - said.Number("opened" + number) - kTicksNs);
    EXPECT_LE(duration_ns, said.Number("end" + number) - said.Number("begin" + number) + kTicksNs);
    const auto since_first_ns = static_cast<double>(event.Number("startTime") - first_ns);
    const double slack_ns = said.Number("opened1") - said.Number("begin1") + kTicksNs;
    EXPECT_GE(since_first_ns, said.Number("begin" + number) - said.Number("begin1") - slack_ns);
    EXPECT_LE(since_first_ns, said.Number("opened" + number) - said.Number("begin1") + kTicksNs);
  }
}

TEST_P(ContextTest, EachScopeOfASpanIsAnEventWithItsTimesAndItsContext) {
  ExpectEachScopeOnce({"scopes"});
}

class VirtualContextTest : public ContextTest {};
JPROF_ON_JDKS_FROM(kFirstMajorWithVirtualThreads, VirtualContextTest);

// A sample of a virtual thread that this JVM does not name has no context; it never has another
// thread's.
TEST_P(VirtualContextTest, EachHasItsOwnOnWhateverCarrier) {
  int marked = 0;
  int missing = 0;
  int tagged = 0;
  for (const Event& sample :
       Samples("cpu=1ms,wall=5ms,context,attributes=half", {"40", "1500", "20000", "virtual"})) {
    const int64_t span = sample.Number("spanId");
    const int64_t turn = span >> 32;
    const std::string tag = sample.Text("half");
    if (tag != kUnresolved) {
      const std::string name = "worker-" + std::to_string(span >> 4 & 0xfffffff);
      EXPECT_GE(turn, 750);
      EXPECT_EQ(tag.size(), 20 * name.size());
      EXPECT_TRUE(tag.starts_with(name)) << tag;
      ++tagged;
    }
    const int marker = MarkerOf(sample);
    if (marker < 0) continue;
    ++marked;
    if (marker != 0 && turn >= 750) {
      EXPECT_NE(tag, kUnresolved) << turn;
    }
    if (marker != 0 && sample.Number("spanId") == 0) {
      ++missing;
    } else {
      ExpectOwnContext(sample, marker);
    }
  }
  EXPECT_GE(marked, 500);
  EXPECT_GE(tagged, 100);
  EXPECT_LE(missing, jdk().major >= 24 ? marked / 1000 : marked / 5) << "of " << marked;
}

TEST_P(VirtualContextTest, EachScopeIsAnEventOfItsThread) {
  ExpectEachScopeOnce({"scopes", "virtual"});
}

// These JVMs name the mounted virtual thread at every instruction.
class NamedVirtualContextTest : public ContextTest {};
JPROF_ON_JDKS_FROM(24, NamedVirtualContextTest);

TEST_P(NamedVirtualContextTest, CopiesOfTheClassInTwoClassLoadersWriteOneContext) {
  ExpectCopiesWriteOneContext({"loaders", "virtual"});
}

}  // namespace
}  // namespace jprof::test
