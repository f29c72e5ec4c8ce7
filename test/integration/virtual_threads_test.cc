// Samples in virtual threads belong to the virtual thread, not to its carrier.
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;

constexpr int kThreads = 8;

class VirtualThreadsTest : public JvmTest {
 protected:
  Recording Profile(const std::string& options, const std::vector<std::string>& program,
                    const std::vector<std::string>& jvm_arguments = {}) {
    run_ = RunProfiled("start," + options + ",file=" + Path("out.jfr"), program, jvm_arguments);
    EXPECT_EQ(run_.exit_code, 0) << run_.Describe();
    return ReadSound("out.jfr");
  }

  ProgramOutput Truth() const { return ProgramOutput(run_.out); }

  // Returns the names by id, as VirtualIdentities gives them to its threads.
  std::map<int64_t, std::string> Names() const {
    std::map<int64_t, std::string> names;
    for (const auto& [id, number] : Truth().NumbersOf("name.")) {
      const auto i = static_cast<int>(number);
      const std::string text = i % 4 == 0 ? "virtual-" : "f\u00e4dchen-\u7dd2-";
      names[std::stoll(id)] = i % 2 == 1 ? "" : text + std::to_string(i);
    }
    return names;
  }

  // Returns the share of samples expected to carry the virtual thread on this JDK; newer JDKs reach
  // `share`.
  double ExpectedShare(double share) const {
    return jdk().major < kFirstMajorWithOwnerIds ? share - 0.1 : share;
  }

  // Before JDK 24 a sample that is taken in native code or in a stub belongs to the carrier, and
  // its stack has the carrier's frames as well.
  auto EndsAtItsRoot() const {
    return [can_be_carriers = jdk().major < kFirstMajorWithOwnerIds](const Event& sample) {
      const std::string& root = sample.frames.back().method;
      return root == "jdk.internal.vm.Continuation.enter" ||
             (can_be_carriers && !IsVirtual(sample) &&
              sample.HasFrame("java.lang.VirtualThread.run") &&
              root == "java.util.concurrent.ForkJoinWorkerThread.run");
    };
  }

  ProcessResult run_;
};
JPROF_ON_JDKS_FROM(kFirstMajorWithVirtualThreads, VirtualThreadsTest);

std::vector<Event> InCode(const Recording& recording, const std::string& method,
                          const std::string& type = kExecutionSample) {
  std::vector<Event> found = recording.OfType(type);
  std::erase_if(found, [&](const Event& sample) { return !sample.HasFrame(method); });
  return found;
}

template <typename Predicate>
double ShareOf(const std::vector<Event>& samples, Predicate predicate) {
  const auto count = std::count_if(samples.begin(), samples.end(), predicate);
  return static_cast<double>(count) / static_cast<double>(samples.size());
}

int64_t IdOf(const Event& sample) { return sample.Number("sampledThread.javaThreadId"); }

// True if the sample belongs to one of these threads and has the name that the program gave to it.
bool IsOneOf(const std::map<int64_t, std::string>& names, const Event& sample) {
  const auto found = names.find(IdOf(sample));
  return IsVirtual(sample) && found != names.end() && found->second == ThreadName(sample);
}

bool IsOneOfOrNameless(const std::map<int64_t, std::string>& names, const Event& sample) {
  return IsOneOf(names, sample) ||
         (IsVirtual(sample) && names.contains(IdOf(sample)) && ThreadName(sample).empty());
}

TEST_P(VirtualThreadsTest, SamplesOfTheirCodeCarryThemWithIdAndName) {
  const Recording recording = Profile(
      "cpu=1ms,chunktime=1s", {"VirtualIdentities", std::to_string(kThreads), "700", "500"});
  const std::vector<Event> samples = InCode(recording, "VirtualIdentities.virtualTurn");
  ASSERT_GE(samples.size(), 300u) << run_.Describe();
  const auto names = Names();
  ASSERT_EQ(names.size(), size_t{kThreads});
  EXPECT_GE(ShareOf(samples, [&](const Event& s) { return IsOneOf(names, s); }),
            ExpectedShare(0.99));
  EXPECT_GE(ShareOf(samples, EndsAtItsRoot()), 0.99);
  EXPECT_GE(
      ShareOf(samples, [](const Event& s) { return s.HasFrame("java.lang.VirtualThread.run"); }),
      0.99);
  for (const Event& sample : samples) {
    if (!IsVirtual(sample)) continue;
    EXPECT_TRUE(IsOneOfOrNameless(names, sample)) << IdOf(sample) << ' ' << ThreadName(sample);
    EXPECT_EQ(sample.Text("sampledThread.group"), "VirtualThreads");
    EXPECT_LE(sample.Number("sampledThread.osThreadId"), 0) << "the reader says -1";
  }
}

// A thread can run continuations itself: its stack continues behind them.
TEST_P(VirtualThreadsTest, ContinuationsInsideThemHaveTheirCallers) {
  const Recording recording = Profile("cpu=1ms", {"NestedContinuations", "1500"},
                                      {"--add-exports", "java.base/jdk.internal.vm=ALL-UNNAMED"});
  std::vector<Event> samples = InCode(recording, "Work.spin");
  // Before JDK 25 samples that are taken inside the VM belong to the carrier.
  std::erase_if(samples, [](const Event& sample) { return !IsVirtual(sample); });
  ASSERT_GE(samples.size(), 30u) << run_.Describe();
  // The bound is 99 % less four standard errors: a busy machine leaves the program little time.
  const double n = static_cast<double>(samples.size());
  const double least = 0.99 - 4 * std::sqrt(0.99 * 0.01 / n);
  EXPECT_GE(ShareOf(samples, EndsAtItsRoot()), least);
  for (const char* caller : {"NestedContinuations.inner", "NestedContinuations.middle",
                             "NestedContinuations.outer", "java.lang.VirtualThread.run"}) {
    const double share = ShareOf(samples, [&](const Event& s) { return s.HasFrame(caller); });
    EXPECT_GE(share, least) << caller;
  }
}

// Each thread has its own share: thread i of n does i + 1 shares of the work.
TEST_P(VirtualThreadsTest, EachGetsTheShareOfItsWork) {
  const Recording recording =
      Profile("cpu=1ms", {"VirtualIdentities", std::to_string(kThreads), "700", "500"});
  const std::vector<Event> samples = InCode(recording, "Work.spin");
  std::map<int64_t, double> measured;
  double all = 0;
  for (const Event& sample : samples) {
    if (!IsVirtual(sample)) continue;
    ++measured[IdOf(sample)];
    ++all;
  }
  const double shares = kThreads * (kThreads + 1) / 2.0;
  for (const auto& [id, share] : Truth().NumbersOf("share.")) {
    const double expected = all * share / shares;
    // The tolerance is six standard deviations of a count, and the missing samples of the first
    // turns.
    const double deviation = 6 * std::sqrt(expected) + 0.1 * expected;
    EXPECT_THAT(measured[std::stoll(id)], AllOf(Ge(expected - deviation), Le(expected + deviation)))
        << "thread " << id << " of " << all;
  }
}

TEST_P(VirtualThreadsTest, CarriersAndOtherThreadsStayThemselves) {
  const Recording recording =
      Profile("cpu=1ms", {"VirtualIdentities", std::to_string(kThreads), "3000", "100"});
  const std::vector<Event> platform = InCode(recording, "VirtualIdentities.platformTurns");
  ASSERT_FALSE(platform.empty());
  for (const Event& sample : platform) {
    EXPECT_EQ(ThreadName(sample), "platform");
    EXPECT_FALSE(IsVirtual(sample));
    EXPECT_EQ(sample.frames.back().method, "java.lang.Thread.run");
  }
  int64_t carriers = 0;
  for (const Event& sample : recording.OfType(kExecutionSample)) {
    const bool pool = ThreadName(sample).starts_with("ForkJoinPool-") && !IsVirtual(sample);
    if (!pool || !sample.HasFrame("java.util.concurrent.ForkJoinWorkerThread.run")) continue;
    ++carriers;
    if (jdk().major >= kFirstMajorWithOwnerIds) {
      EXPECT_FALSE(sample.HasFrame("VirtualIdentities.virtualTurn"));
    }
  }
  EXPECT_GT(carriers, 0);
}

TEST_P(VirtualThreadsTest, NothingOfTheProcesssTimeIsLostBetweenThem) {
  const Recording recording = Profile("cpu=1ms", {"VirtualThreads", "200", "300", "50"});
  const auto samples = static_cast<double>(recording.Count(kExecutionSample));
  EXPECT_THAT(samples * 1e6, IsWithin(0.05, Truth().Number("cpu.all")));
  const std::vector<Event> turns = InCode(recording, "VirtualThreads.burnTurn");
  EXPECT_GE(ShareOf(turns, IsVirtual), ExpectedShare(0.99));
  EXPECT_GE(ShareOf(turns, EndsAtItsRoot()), 0.99);
}

TEST_P(VirtualThreadsTest, EveryCollectorLeavesIdentityNameAndRoot) {
  int tried = 0;
  for (const std::string collector : {"-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC",
                                      "-XX:+UseZGC", "-XX:+UseShenandoahGC"}) {
    SCOPED_TRACE(collector);
    if (RunProcess(Java({"Hello"}, {collector})).exit_code != 0) continue;  // not in this JDK
    ++tried;
    const Recording recording =
        Profile("cpu=1ms", {"VirtualIdentities", std::to_string(kThreads), "2000", "300"},
                {collector, "-Xmx64m"});
    const std::vector<Event> samples = InCode(recording, "VirtualIdentities.takeTurns");
    ASSERT_GE(samples.size(), 150u);
    // ZGC moves frames and names in the heap while code runs: some cannot be read.
    const bool moves = collector == "-XX:+UseZGC";
    const auto names = Names();
    EXPECT_GE(ShareOf(samples,
                      [&](const Event& s) {
                        return moves ? IsOneOfOrNameless(names, s) : IsOneOf(names, s);
                      }),
              ExpectedShare(0.98));
    EXPECT_GE(ShareOf(samples, EndsAtItsRoot()), moves ? 0.9 : 0.98);
  }
  EXPECT_GE(tried, 4);
}

TEST_P(VirtualThreadsTest, WallSamplesAndEveryWalkerCarryThem) {
  for (const std::string walker : {"vm", "vmx", "fp", "agct"}) {
    SCOPED_TRACE(walker);
    const Recording recording =
        Profile("cpu=2ms,wall=10ms,cstack=" + walker,
                {"VirtualIdentities", std::to_string(kThreads), "100", "400"});
    const auto names = Names();
    for (const char* type : {kExecutionSample, kWallClockSample}) {
      const std::vector<Event> samples = InCode(recording, "VirtualIdentities.virtualTurn", type);
      ASSERT_GE(samples.size(), 10u) << type;
      // There are few samples, one of which might have been taken in native code, where names are
      // not read. With AsyncGetCallTrace the heap is not read: the ids are then the VM's, or the
      // samples are the carrier's.
      const bool reads_heap = walker != "agct";
      const double named = ShareOf(samples, [&](const Event& s) {
        return reads_heap ? IsOneOf(names, s) : IsVirtual(s) && names.contains(IdOf(s));
      });
      if (!reads_heap && jdk().major < kFirstMajorWithOwnerIds) {
        EXPECT_EQ(named, 0) << type;
        continue;
      }
      EXPECT_GE(named * static_cast<double>(samples.size()),
                ExpectedShare(0.97) * static_cast<double>(samples.size()) - 1)
          << type;
    }
  }
}

TEST_P(VirtualThreadsTest, AFilterSelectsTheCarriersWithAllThatTheyRun) {
  const Recording recording =
      Profile("cpu=2ms,filter=ForkJoinPool-*",
              {"VirtualIdentities", std::to_string(kThreads), "100", "400"});
  EXPECT_GE(InCode(recording, "VirtualIdentities.virtualTurn").size(), 50u);
  EXPECT_TRUE(SamplesOf(recording, kExecutionSample, "platform").empty());
}

// The size of a recording depends on its samples, not on the number of virtual threads.
TEST_P(VirtualThreadsTest, AHundredThousandShortOnesCostWhatTheirSamplesCost) {
  const Recording recording =
      Profile("cpu=1ms,chunktime=1s", {"VirtualThreads", "100000", "1", "20"});
  EXPECT_EQ(Truth().Number("turns"), 100'000);
  std::set<int64_t> ids;
  for (const Event& sample : recording.OfType(kExecutionSample)) {
    if (IsVirtual(sample)) ids.insert(IdOf(sample));
  }
  EXPECT_GT(ids.size(), 100u);
  struct stat file {};
  ASSERT_EQ(stat(Path("out.jfr").c_str(), &file), 0);
  EXPECT_LT(file.st_size, 1'000'000 + 200 * recording.Count(kExecutionSample));
}

// These events are taken in a callback of the JVM, where no walk before JDK 24 finds out which
// thread a carrier runs.
TEST_P(VirtualThreadsTest, SlowCallsAndAllocationsAreTheirs) {
  const Recording recording =
      Profile("trace=VirtualCalls.slow:10ms,alloc=64k", {"VirtualCalls", "60", "20"});
  std::set<int64_t> ids;
  for (const auto& [id, millis] : Truth().NumbersOf("slow.")) ids.insert(std::stoll(id));
  ASSERT_EQ(ids.size(), 60u);
  std::set<int64_t> slow;
  for (const Event& call : recording.OfType("jdk.MethodTrace")) {
    slow.insert(call.Number("eventThread.javaThreadId"));
  }
  EXPECT_EQ(slow, ids);
  EXPECT_EQ(recording.Count("jdk.MethodTrace"), 60);
  // Each thread allocates 4 MB, with a sample due within 64 kB: at least 24 of 64.
  std::map<int64_t, int> samples;
  for (const Event& sample : InCode(recording, "VirtualCalls.slow", "profiler.AllocatedObject")) {
    ++samples[sample.Number("eventThread.javaThreadId")];
  }
  EXPECT_EQ(samples.size(), ids.size());
  for (const auto& [id, count] : samples) {
    EXPECT_EQ(ids.count(id), 1u) << id << " is no virtual thread";
    EXPECT_GE(count, 24) << id;
  }
}

TEST_P(VirtualThreadsTest, TheRecordingSaysToWhomTheirSamplesBelong) {
  const Recording recording = Profile("cpu=10ms", {"Hello"});
  const std::vector<Event> settings = recording.OfType("jdk.ActiveSetting");
  EXPECT_TRUE(std::any_of(settings.begin(), settings.end(), [](const Event& setting) {
    return setting.Text("name") == "virtualThreads" &&
           setting.Text("value") == "sampled as themselves";
  }));
}

}  // namespace
}  // namespace jprof::test
