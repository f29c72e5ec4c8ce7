// The stack walking API (include/profiler/asgst.h), used by another agent in a JVM without a
// recording.
#include <cstdlib>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

class AsgstFixture : public JvmTest {
 protected:
  ProgramOutput Run(const std::string& options, const std::vector<std::string>& program,
                    const std::vector<std::string>& jvm_arguments = {},
                    std::chrono::seconds lasts = std::chrono::seconds(0)) {
    std::vector<std::string> arguments = {"-agentpath:" + NativeLibraryFolder() +
                                              "/libasgst_probe.so=library=" + AgentLibrary() + "," +
                                              options,
                                          "-Xmx400m"};
    arguments.insert(arguments.end(), jvm_arguments.begin(), jvm_arguments.end());
    ProcessSpec spec = Java(program, arguments);
    spec.timeout = std::chrono::minutes(5) + lasts;
    const ProcessResult run = RunProcess(spec);
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    shown_ = run.out;
    return ProgramOutput(run.out);
  }

  ProgramOutput Agrees(const std::vector<std::string>& jvm_arguments) {
    constexpr int kStacks = 20'000;
    const ProgramOutput out = Run("agree=" + std::to_string(kStacks), {"Walked"}, jvm_arguments);
    EXPECT_EQ(out.Number("wrong"), 0);
    EXPECT_EQ(out.Number("asgst.different"), 0) << shown_;
    EXPECT_EQ(out.Number("asgst.not_rewound"), 0) << shown_;
    // The frames of a virtual thread can be in the heap while the collector is moving them.
    EXPECT_LE(out.Number("asgst.missing"), kStacks / 100) << shown_;
    EXPECT_GE(out.Number("asgst.same"), kStacks * 99 / 100) << shown_;
    EXPECT_EQ(out.Number("asgst.unordered"), 0) << shown_;
    return out;
  }

  // Returns a number that the agent prints only if it is not 0.
  double Counted(const ProgramOutput& out, const std::string& name) const {
    return shown_.find(name + "=") == std::string::npos ? 0 : out.Number(name);
  }

  // Expects that the walks of a storm have ended as they should. The VM's own threads have no Java
  // frames (error 4). The frames of a virtual thread that are in the heap cannot always be read
  // (error 21).
  void ExpectEnds(const ProgramOutput& out) const {
    EXPECT_EQ(out.Number("wrong"), 0);
    EXPECT_EQ(out.Number("storm.changed_errno"), 0) << shown_;
    EXPECT_EQ(out.Number("storm.unnamed"), 0) << shown_;
    EXPECT_GE(out.Number("storm.whole") + Counted(out, "storm.refused.4") +
                  Counted(out, "storm.ended.21"),
              out.Number("storm.walks") * 0.99)
        << shown_;
    EXPECT_GE(out.Number("storm.whole"), out.Number("storm.walks") * 0.7) << shown_;
  }

  // Expects that each signal has come out of a queue, or was refused.
  void ExpectEachSignal(const ProgramOutput& out) const {
    EXPECT_EQ(out.Number("queue.other_kind"), 0) << shown_;
    EXPECT_EQ(out.Number("queue.begun"), out.Number("queue.ended")) << shown_;
    EXPECT_EQ(out.Number("queue.same") + out.Number("queue.different"),
              out.Number("queue.enqueued"))
        << shown_;
    EXPECT_GT(out.Number("queue.merged"), 0) << shown_;
    // A merged signal can be late, and is then counted.
    const double out_or_refused =
        out.Number("queue.weights") + out.Number("queue.full") + out.Number("queue.refused");
    EXPECT_LE(out_or_refused, out.Number("queue.handled")) << shown_;
    EXPECT_GE(out_or_refused, out.Number("queue.handled") * 0.999) << shown_;
  }

  std::string shown_;
};

// Compares stacks in callbacks for sampled allocations, which the JVM has from JDK 11 on.
class AsgstTest : public AsgstFixture {};
JPROF_ON_JDKS_FROM(11, AsgstTest);

class AsgstOnEachJdkTest : public AsgstFixture {};
JPROF_ON_EVERY_JDK(AsgstOnEachJdkTest);

TEST_P(AsgstTest, IteratorsAgreeWithJvmti) {
  const ProgramOutput out = Agrees({});
  EXPECT_GT(out.Number("asgst.level.1_to_3"), 0) << shown_;
  EXPECT_GT(out.Number("asgst.level.4"), 0) << shown_;
}

TEST_P(AsgstTest, IteratorsAgreeWithJvmtiInTheInterpreter) {
  const ProgramOutput out = Agrees({"-Xint"});
  EXPECT_GT(out.Number("asgst.level.0"), 0) << shown_;
  EXPECT_EQ(out.Number("asgst.level.1_to_3") + out.Number("asgst.level.4"), 0) << shown_;
}

TEST_P(AsgstOnEachJdkTest, EachFunctionReturnsItsResultInEachContext) {
  const ProgramOutput out = Run("contexts=1", {"WalkedOnce"});
  EXPECT_GE(out.Number("contexts.checks"), 400) << shown_;
  EXPECT_EQ(out.Number("contexts.wrong"), 0) << shown_;
}

TEST_P(AsgstOnEachJdkTest, QueuedStacksAreThoseOfTheirSignals) {
  const ProgramOutput out = Run("queue=100000", {"Walked"});
  EXPECT_EQ(out.Number("wrong"), 0);
  // Each queued stack lies between two walks of its handler. If these are the same, so is the stack.
  EXPECT_LE(out.Number("queue.different"), out.Number("queue.unstable")) << shown_;
  EXPECT_LE(out.Number("queue.unstable"), out.Number("queue.enqueued") * 0.001) << shown_;
  EXPECT_LE(out.Number("queue.other_pc"), out.Number("queue.unstable_pc")) << shown_;
  EXPECT_EQ(out.Number("queue.without_youngest"), 0) << shown_;
  ExpectEachSignal(out);
}

TEST_P(AsgstOnEachJdkTest, EachElementOfAnApproximateQueueHasALaterStack) {
  const ProgramOutput out = Run("approximate=20000", {"Walked"});
  EXPECT_EQ(out.Number("wrong"), 0);
  EXPECT_GT(out.Number("queue.different"), 0) << shown_;
  EXPECT_GT(out.Number("queue.same_methods"), 0) << shown_;
  ExpectEachSignal(out);
}

TEST_P(AsgstOnEachJdkTest, OtherThreadsAreWalkedToTheirRoots) {
  const ProgramOutput out = Run("others=3000", {"Walked"});
  EXPECT_EQ(out.Number("wrong"), 0);
  EXPECT_EQ(out.Number("others.wrong"), 0) << shown_;
  EXPECT_EQ(out.Number("others.unrooted"), 0) << shown_;
  EXPECT_GE(out.Number("others.rooted"), out.Number("others.walks") * 0.6) << shown_;
}

TEST_P(AsgstOnEachJdkTest, AThreadThatWaitsInItsHandlerIsWalkedByItsRegisters) {
  constexpr int kWalks = 500;
  const ProgramOutput out = Run("waiting=" + std::to_string(kWalks), {"Walked"});
  EXPECT_EQ(out.Number("wrong"), 0);
  EXPECT_EQ(out.Number("waiting.different"), 0) << shown_;
  // The stack of a thread in native code can change until it is walked once more.
  EXPECT_LE(out.Number("waiting.queued_different"), kWalks * 0.02) << shown_;
  EXPECT_GE(out.Number("waiting.enqueued"), kWalks * 0.2) << shown_;
  EXPECT_EQ(out.Number("waiting.queued_same") + out.Number("waiting.queued_different"),
            out.Number("waiting.enqueued"))
      << shown_;
  // The VM's own threads have no Java frames. While a thread waits, others can change what a walk
  // reads; the two walks of the thread itself then differ.
  EXPECT_GE(out.Number("waiting.same"), kWalks * 0.6) << shown_;
}

TEST_P(AsgstOnEachJdkTest, ARecordingAndAToolWalkTheSameThreads) {
  const ProgramOutput out =
      Run("storm=10000", {"Walked"},
          {AgentArgument("start,event=cpu,interval=1ms,wall=5ms,file=" + Path("out.jfr"))});
  ExpectEnds(out);
  EXPECT_FALSE(ReadSound("out.jfr").events().empty());
}

TEST_P(AsgstOnEachJdkTest, AlteredRegistersAndWrongPointersHaveDocumentedResults) {
  const char* const calls = getenv("JPROF_ASGST_FUZZ");
  const ProgramOutput out =
      Run("fuzz=" + std::string(calls == nullptr ? "200000" : calls), {"Walked"});
  EXPECT_EQ(out.Number("wrong"), 0);
  EXPECT_EQ(out.Number("fuzz.undocumented"), 0) << shown_;
  EXPECT_EQ(out.Number("fuzz.endless"), 0) << shown_;
  EXPECT_GT(out.Number("fuzz.frames"), 0) << shown_;
}

TEST_P(AsgstOnEachJdkTest, UnloadedClassesAreToldWithTheirNames) {
  const ProgramOutput out = Run("unloads=40000", {"Walked"}, {"-XX:+UseSerialGC"});
  EXPECT_EQ(out.Number("wrong"), 0);
  EXPECT_GT(out.Number("unloads.classes"), 0) << shown_;
  EXPECT_EQ(out.Number("unloads.twice"), 0) << shown_;
  EXPECT_EQ(out.Number("unloads.unnamed"), 0) << shown_;
  EXPECT_EQ(out.Number("unloads.strange"), 0) << shown_;
  EXPECT_EQ(out.Number("unloads.wrong_results"), 0) << shown_;
  EXPECT_EQ(out.Number("storm.unnamed"), 0) << shown_;
}

TEST_P(AsgstTest, TracesAgreeWithJvmti) {
  constexpr int kStacks = 20'000;
  const ProgramOutput out = Run("ids=1,traces=" + std::to_string(kStacks), {"Walked"});
  EXPECT_EQ(out.Number("traces.different"), 0) << shown_;
  EXPECT_EQ(out.Number("traces.wrong_arguments"), 0) << shown_;
  EXPECT_EQ(out.Number("traces.counted"), out.Number("traces.no_id")) << shown_;
  EXPECT_LE(out.Number("traces.missing") + out.Number("traces.no_id"), kStacks / 100) << shown_;
  EXPECT_GE(out.Number("traces.same"), kStacks * 98 / 100) << shown_;
}

TEST_P(AsgstTest, TracesWithoutIdsAreCounted) {
  const ProgramOutput out = Run("ids=0,traces=2000", {"Walked"});
  EXPECT_EQ(out.Number("traces.different"), 0) << shown_;
  EXPECT_GT(out.Number("traces.no_id"), 0) << shown_;
  EXPECT_EQ(out.Number("traces.counted"), out.Number("traces.no_id")) << shown_;
}

TEST_P(AsgstOnEachJdkTest, AMixedStormLosesNoElementAndHasNoWrongName) {
  const char* const seconds = getenv("JPROF_ASGST_STORM_SECONDS");
  const std::string lasts = seconds == nullptr ? "5" : seconds;
  const ProgramOutput out =
      Run("mixed=" + lasts, {"WalkedStorm"}, {OtherAgentArgument(), "-XX:ReservedCodeCacheSize=8m"},
          std::chrono::seconds(std::stoi(lasts)));
  EXPECT_EQ(out.Number("wrong"), 0);
  EXPECT_GE(out.Number("redefined"), 30) << shown_;
  EXPECT_GE(out.Number("unloaded"), 30) << shown_;
  EXPECT_GE(out.Number("threads"), 4) << shown_;
  EXPECT_EQ(out.Number("mixed.enqueued"), out.Number("mixed.processed")) << shown_;
  EXPECT_GT(out.Number("mixed.approximate"), 100) << shown_;
  EXPECT_GT(out.Number("mixed.removed"), 30) << shown_;
  EXPECT_EQ(out.Number("mixed.not_registered"), 0) << shown_;
  EXPECT_EQ(out.Number("mixed.undocumented"), 0) << shown_;
  EXPECT_GT(out.Number("mixed.others"), 30) << shown_;
  EXPECT_EQ(out.Number("names.unnamed"), 0) << shown_;
  EXPECT_EQ(out.Number("names.wrong"), 0) << shown_;
  EXPECT_GT(out.Number("names.throwaways"), 100) << shown_;
  EXPECT_GT(out.Number("names.calls"), 1000) << shown_;
  // Two versions of a method can have the same identity, and then the lines of one of them. Without
  // versions in the identities, half of the lines would be wrong.
  EXPECT_LE(out.Number("names.other_lines"), out.Number("names.calls") / 4) << shown_;
  // Frames in the heap cannot always be read (end 21).
  const double ends = out.Number("mixed.ends");
  EXPECT_GE(out.Number("mixed.end.0") + Counted(out, "mixed.end.21"), ends * 0.99) << shown_;
}

TEST_P(AsgstOnEachJdkTest, AUseEndsAndBeginsWhileThreadsAreWalked) {
  const ProgramOutput out = Run("cycles=5000", {"Walked"});
  EXPECT_EQ(out.Number("wrong"), 0);
  EXPECT_GT(out.Number("cycles.cycles"), 30) << shown_;
  EXPECT_EQ(out.Number("cycles.failed"), 0) << shown_;
  EXPECT_EQ(out.Number("storm.unnamed"), 0) << shown_;
  EXPECT_GT(out.Number("storm.refused.17"), 0) << shown_;
  EXPECT_GE(
      out.Number("storm.whole") + out.Number("storm.refused.4") + out.Number("storm.refused.17"),
      out.Number("storm.walks") * 0.9)
      << shown_;
}

TEST_P(AsgstOnEachJdkTest, InterruptedThreadsAreWalkedToTheirRoots) {
  const ProgramOutput out = Run("storm=40000", {"Walked"});
  ExpectEnds(out);
}

}  // namespace
}  // namespace jprof::test
