// Which threads the profiler finds with each way of priming alone, as docs/priming.md lists them.
#include <array>
#include <cmath>
#include <cstdlib>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;

constexpr const char* kKinds[] = {"java-old",   "java-new",  "native-old",
                                  "native-new", "attached",  "late-library",
                                  "plugin",     "compilers", "collectors"};
constexpr size_t kKindCount = std::size(kKinds);

// The share of the CPU time of one kind of threads that the recording has. kBut is all but the end:
// if the profiler is not notified of a thread's end, the time after its last sample is missing. On
// a busy machine this can be long, because signals are delayed. kSome is more than nothing.
enum Share { kNone, kAll, kBut, kSome };

struct PathRow {
  const char* paths;
  std::array<Share, kKindCount> shares;
};

// clang-format off
constexpr PathRow kRows[] = {
    //          Java  Java   native native            late     native  JIT         GC
    //          old   new    old    new     attached  library  plugin
    {"scan",    {kBut,  kNone, kBut,  kNone, kNone, kNone, kNone, kBut,  kBut}},
    {"jvmti",   {kAll,  kAll,  kNone, kNone, kAll,  kNone, kNone, kNone, kNone}},
    {"hook",    {kNone, kAll,  kNone, kAll,  kAll,  kAll,  kNone, kNone, kNone}},
    {"watcher", {kBut,  kBut,  kBut,  kBut,  kBut,  kBut,  kBut,  kSome, kBut}},
    {"claim",   {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone}},
    {"scan+jvmti+hook+watcher+claim",
                {kAll,  kAll,  kBut,  kAll,  kAll,  kAll,  kBut,  kBut,  kBut}},
};
// clang-format on

std::map<int64_t, std::string> KindByTid(const ProgramOutput& truth) {
  std::map<int64_t, std::string> kind_of;
  for (const auto& [kind_and_number, tid] : truth.NumbersOf("tid.")) {
    kind_of[static_cast<int64_t>(tid)] = kind_and_number.substr(0, kind_and_number.rfind('.'));
  }
  return kind_of;
}

// Returns the recorded CPU time by kind. Threads are recognised by the kernel's ids, because a
// thread's name can be read before the thread sets it.
std::map<std::string, double> CreditedByKind(const Recording& recording,
                                             const ProgramOutput& truth) {
  const std::map<int64_t, std::string> kind_of = KindByTid(truth);
  std::map<std::string, double> credited;
  for (const Event& event : recording.OfType(kExecutionSample)) {
    const auto kind = kind_of.find(event.Number("sampledThread.osThreadId"));
    if (kind != kind_of.end()) credited[kind->second] += 1e6;
  }
  return credited;
}

// The words with which the status names the ways of priming.
constexpr char kScan[] = "at the start";
constexpr char kJvmti[] = "by the JVM";
constexpr char kHook[] = "by pthread_create";
constexpr char kWatcher[] = "by looking for new ones";

// Returns the number before `path` in "9 at the start, 3 by pthread_create (0.025 ms after, ...)".
int64_t KnownBy(const std::string& path, const std::string& out) {
  const size_t line = out.find("status.found=");
  const size_t found = out.find(' ' + path, line);
  if (line == std::string::npos || found > out.find('\n', line)) return 0;
  const size_t number = out.find_last_not_of("0123456789", found - 1) + 1;
  return std::strtol(out.c_str() + number, nullptr, 10);
}

class PrimingTest : public JvmTest {
 protected:
  ProcessResult Run(const std::string& paths) const {
    const std::string start = "start,cpu=1ms,priming=" + paths + ",file=" + Path("out.jfr");
    return RunProcess(
        Java({"Priming", AgentLibrary(), start, NativeLibraryFolder(), "150"},
             {"-XX:+IgnoreUnrecognizedVMOptions", "-Xmx256m", "-XX:+UseParallelGC",
              "-XX:ParallelGCThreads=2", "-XX:-UseDynamicNumberOfGCThreads",
              "-XX:-UseDynamicNumberOfCompilerThreads", "-XX:CompileThresholdScaling=0.01"}));
  }

  void ExpectRow(const PathRow& row) const {
    const ProcessResult run = Run(row.paths);
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput truth(run.out);
    auto credited_by_kind = CreditedByKind(ReadSound("out.jfr"), truth);
    for (size_t i = 0; i < kKindCount; ++i) {
      const double credited = credited_by_kind[kKinds[i]];
      const double used = truth.Number(std::string("cpu.") + kKinds[i]);
      const std::string most = std::string("most.") + kKinds[i];
      const double used_at_most = truth.Has(most) ? truth.Number(most) : used;
      switch (row.shares[i]) {
        case kNone:
          EXPECT_EQ(credited, 0) << kKinds[i];
          break;
        case kAll:
          EXPECT_GE(credited, 0.9 * used) << kKinds[i];
          EXPECT_LE(credited, 1.1 * used + kPrintingNs) << kKinds[i];
          break;
        case kBut:
          EXPECT_GT(credited, 0.6 * used) << kKinds[i];
          EXPECT_LT(credited, 1.1 * used_at_most) << kKinds[i];
          break;
        case kSome:
          EXPECT_GT(credited, 0) << kKinds[i];
          EXPECT_LT(credited, 1.1 * used_at_most) << kKinds[i];
          break;
      }
    }
    out_ = run.out;
  }

  mutable std::string out_;
};
JPROF_ON_EVERY_JDK(PrimingTest);

TEST_P(PrimingTest, TheScanAloneReachesThreadsThatExistAtTheStart) {
  ExpectRow(kRows[0]);
  EXPECT_EQ(KnownBy(kHook, out_), 0);
}

TEST_P(PrimingTest, JvmtiAloneReachesJavaThreads) {
  ExpectRow(kRows[1]);
  EXPECT_EQ(KnownBy(kScan, out_), 0);
}

TEST_P(PrimingTest, TheHookAloneReachesThreadsThatLibrariesCreateLater) {
  ExpectRow(kRows[2]);
  EXPECT_GE(KnownBy(kHook, out_),
            static_cast<int64_t>(ProgramOutput(out_).Number("short.threads")));
}

TEST_P(PrimingTest, TheWatcherAloneReachesThreadsThatLiveUntilItLooks) {
  ExpectRow(kRows[3]);
  EXPECT_EQ(KnownBy(kHook, out_), 0);
}

// The claim registers a thread at its first signal, but no signal is sent to an unknown thread.
TEST_P(PrimingTest, TheClaimAloneReachesNothing) { ExpectRow(kRows[4]); }

TEST_P(PrimingTest, AllTogetherReachEveryThread) {
  ExpectRow(kRows[5]);
  const ProgramOutput truth(out_);
  // Occasionally the watcher finds a new thread before the hook has run in it.
  EXPECT_GE(KnownBy(kHook, out_) + KnownBy(kWatcher, out_) + KnownBy(kJvmti, out_),
            static_cast<int64_t>(truth.Number("short.threads")) + 5);
  // If a thread ended before its name was read, its name is "[tid N]".
  const Recording recording = ReadSound("out.jfr");
  double all = 0;
  for (const auto& [name, nanos] : NanosByThread(recording, kExecutionSample, milliseconds(1))) {
    if (name == "short" || name.rfind("[tid ", 0) == 0) all += nanos;
  }
  const std::map<int64_t, std::string> kind_of = KindByTid(truth);
  for (const Event& event : recording.OfType(kExecutionSample)) {
    const bool unnamed = event.Text("sampledThread.osName").rfind("[tid ", 0) == 0;
    if (unnamed && kind_of.count(event.Number("sampledThread.osThreadId")) != 0) all -= 1e6;
  }
  // A short thread has a sample at random. The standard deviation of their number is its square
  // root.
  const double intervals = truth.Number("cpu.short") / 1e6;
  EXPECT_NEAR(all / 1e6, intervals, 4 * std::sqrt(intervals));
}

}  // namespace
}  // namespace jprof::test
