// nativelock=: the times for which threads wait for pthread locks, compared with what the threads
// measured; the results of the intercepted calls; and recordings that start or end while threads
// wait.
#include <cmath>
#include <map>
#include <optional>

#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

constexpr char kNativeLock[] = "profiler.NativeLock";
constexpr double kThreshold = 1'000'000;

struct Wait {
  Event event;

  std::string thread() const { return event.Text("eventThread.javaName"); }
  double duration() const { return static_cast<double>(event.Number("duration")); }
  double waited() const { return static_cast<double>(event.Number("waited")); }
};

std::vector<Wait> WaitsOf(const Recording& recording) {
  std::vector<Wait> waits;
  for (const Event& event : recording.OfType(kNativeLock)) waits.push_back({event});
  return waits;
}

// Returns the rest of the line "key=..." in `text`.
std::string LineOf(const std::string& text, const std::string& key) {
  const size_t at = ("\n" + text).find("\n" + key + "=");
  if (at == std::string::npos) return "no " + key;
  const size_t begin = at + key.size() + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

struct Sums {
  double total = 0;
  double variance = 0;
  int events = 0;
  int in_java = 0;
  int in_native = 0;
  int owned = 0;  // waits with an owner of the same kind
};

// Sums the waits for the locks that the program measures. (Its threads also wait for other locks,
// such as the JVM's.)
std::map<std::string, Sums> SumsOf(const std::vector<Wait>& waits, const ProgramOutput& truth) {
  std::map<std::string, double> locks = truth.NumbersOf("lock.");
  std::map<std::string, Sums> sums;
  for (const Wait& wait : waits) {
    const std::string kind = wait.thread().substr(0, wait.thread().find('-'));
    if (static_cast<double>(wait.event.Number("address")) != locks[kind]) continue;
    Sums& sum = sums[kind];
    sum.total += wait.duration();
    sum.variance += wait.duration() * std::max(wait.duration() - wait.waited(), 0.0);
    ++sum.events;
    const bool is_native = std::ranges::any_of(wait.event.frames, [](const Frame& frame) {
      return frame.method.find("::On") != std::string::npos;
    });
    sum.in_native += is_native ? 1 : 0;
    sum.in_java += wait.event.HasFrame("NativeLocks.contend") ? 1 : 0;
    const std::string owner = wait.event.Text("owner.javaName");
    sum.owned += owner != wait.thread() && owner.starts_with(kind) ? 1 : 0;
  }
  return sums;
}

class NativeLockTest : public CliTest {
 protected:
  std::vector<std::string> Libraries() { return {"-Djava.library.path=" + NativeLibraryFolder()}; }
};
JPROF_ON_EVERY_JDK(NativeLockTest);

TEST_P(NativeLockTest, SurvivesAClockThatTakesALock) {
  ProcessSpec spec = Java({"NativeLocks", "4", "10", "1000", "mutex", "condition"},
                          {AgentArgument("start,nativelock=1ms,file=" + Path("out.jfr")),
                           "-Djava.library.path=" + NativeLibraryFolder()});
  spec.env.emplace_back("LD_PRELOAD", NativeLibraryFolder() + "/liblocking_clock.so");
  const ProcessResult run = RunProcess(spec);
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_GT(ReadSound("out.jfr").Count(kNativeLock), 0) << run.Describe();
}

TEST_P(NativeLockTest, WaitsAreAsLongAsTheThreadsMeasuredAndCallsFailAsEver) {
  const std::vector<std::string> kinds = {"mutex", "timed", "read", "write", "condition"};
  std::vector<std::string> program = {"NativeLocks", "4", "40", "4000"};
  program.insert(program.end(), kinds.begin(), kinds.end());
  const ProcessResult run =
      RunProfiled("start,nativelock=1ms,file=" + Path("out.jfr"), program, Libraries());
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  EXPECT_EQ(LineOf(run.out, "results"),
            "EPERM 0 EDEADLK ETIMEDOUT EINVAL 0 0 ETIMEDOUT EINVAL ETIMEDOUT EOWNERDEAD 0 "
            "ENOTRECOVERABLE 0 EDEADLK EDEADLK ETIMEDOUT EINVAL");
  EXPECT_EQ(truth.Number("cancelled"), 1);
  EXPECT_EQ(truth.Number("forked"), 1);

  const std::vector<Wait> waits = WaitsOf(ReadSound("out.jfr"));
  std::map<std::string, Sums> sums = SumsOf(waits, truth);
  for (const std::string& kind : kinds) {
    const Sums& sum = sums[kind];
    const double total = truth.Number("total." + kind);
    const double noise = 4 * std::sqrt(sum.variance);
    EXPECT_LE(sum.total, total + noise)
        << kind << ": the threads' clocks are read around the calls";
    EXPECT_GE(sum.total, total - total / 50 - truth.Number("queued." + kind) - noise) << kind;
    EXPECT_GT(sum.events, 0) << kind;
    EXPECT_GE(sum.in_java, sum.events * 9 / 10) << kind;
    EXPECT_EQ(sum.in_native, sum.in_java) << kind;
  }
  EXPECT_GE(sums["mutex"].owned, sums["mutex"].events / 2);
  EXPECT_GE(sums["write"].owned, sums["write"].events / 4);  // no owner is known if readers hold it

  // Waits for conditions have no events for the JVM's own threads, which wait for work there, and
  // none for Java threads that park.
  for (const Wait& wait : waits) {
    if (wait.event.Text("operation") != "native condition") continue;
    EXPECT_TRUE(wait.thread().starts_with("condition-") || wait.thread() == "main")
        << wait.thread();
    EXPECT_EQ(wait.event.Text("owner.javaName"), "") << "a condition has no owner";
    EXPECT_EQ(wait.event.Text("owner.osThreadId"), "") << "a condition has no owner";
  }

  // The recorded waits and those below the threshold add up to all waits.
  std::map<std::string, double> counters;
  const Recording recording = ReadSound("out.jfr");
  for (const Event& counter : recording.OfType("profiler.Counter")) {
    counters[counter.Text("name")] = static_cast<double>(counter.Number("value"));
  }
  std::map<std::string, double> long_ones;
  for (const Wait& wait : waits) {
    if (wait.waited() < kThreshold) continue;
    EXPECT_NEAR(wait.duration(), wait.waited(), 1000);
    long_ones[wait.event.Text("operation")] += wait.waited();
  }
  for (const char* type : {"native mutex", "native write lock", "native condition"}) {
    const std::string name(type);
    EXPECT_EQ(counters[name + ": ns"] - counters[name + ": ns below the threshold"],
              long_ones[name])
        << name;
    EXPECT_GE(counters[name + ": ns, longest"], kThreshold) << name;
    EXPECT_THAT(run.err, HasSubstr(name + ": "));
  }
  const ProcessResult view = Jprof({"view", "locks", Path("out.jfr")});
  EXPECT_THAT(view.out, HasSubstr("native write lock"));
  EXPECT_THAT(view.out, HasSubstr("::OnMutex"));
}

// The program's malloc takes a lock itself, as the preloaded library does here.
TEST_P(NativeLockTest, RecordingsMayBeginAndEndInTheMiddleOfWaitsAndPutTheCallsBack) {
  ProcessSpec spec = Java({"NativeLocksAcross", AgentLibrary(), NativeLibraryFolder(), folder()});
  spec.env.emplace_back("LD_PRELOAD", NativeLibraryFolder() + "/liblocked_malloc.so");
  const ProcessResult run = RunProcess(spec);
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  const std::string before = LineOf(run.out, "called.before");
  EXPECT_THAT(before, testing::Not(HasSubstr("libprofiler")));
  EXPECT_EQ(LineOf(run.out, "called.during"), "libprofiler.so libprofiler.so");
  EXPECT_EQ(LineOf(run.out, "called.after"), before);
  EXPECT_EQ(LineOf(run.out, "called.end"), before);
  EXPECT_EQ(truth.Number("1.stopped"), 1);
  EXPECT_EQ(truth.Number("2.stopped"), 1);

  int unfinished = 0;
  for (const Wait& wait : WaitsOf(ReadSound("1.jfr"))) {
    if (wait.event.Text("unfinished") != "true" || wait.thread() != "waiting") continue;
    ++unfinished;
    EXPECT_GE(wait.waited(), truth.Number("1.least"));
    EXPECT_LE(wait.waited(), truth.Number("1.most"));
    EXPECT_EQ(wait.event.Text("owner.javaName"), "main");
    EXPECT_THAT(wait.event.frames.front().method, HasSubstr("[still waiting]"));
  }
  EXPECT_EQ(unfinished, 1);
  for (const Wait& wait : WaitsOf(ReadSound("2.jfr"))) {
    EXPECT_TRUE(wait.thread() != "waiting" || wait.waited() < kThreshold)
        << "its wait has begun in another recording";
  }
}

}  // namespace
}  // namespace jprof::test
