// Compares the waits of many threads as they measured them with those in our recording, in Flight
// Recorder's and, if JPROF_ASYNC_PROFILER is the path of its library, in async-profiler's. All
// recorders run at the same time. The test prints rows of a table in docs/locks.md.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "integration/cli_fixture.h"
#include "integration/lock_waits.h"

namespace jprof::test {
namespace {

class LockTableTest : public CliTest {
 protected:
  void ExpectMeasuredTimes(const std::string& threads, const std::string& count,
                           const std::vector<std::string>& kinds) {
    std::vector<std::string> program = {"Locks", threads, count, "2", "1"};
    program.insert(program.end(), kinds.begin(), kinds.end());
    std::vector<std::string> others = {"-XX:StartFlightRecording=settings=profile,filename=" +
                                       Path("jdk.jfr")};
    const char* const library = getenv("JPROF_ASYNC_PROFILER");
    const bool has_async_profiler = library != nullptr && *library != '\0';
    if (has_async_profiler) {
      others.push_back("-agentpath:" + std::string(library) +
                       "=start,event=lock,lock=1ns,jfr,file=" + Path("async.jfr"));
    }
    const ProcessResult run =
        RunProfiled("start,lock=10ms,file=" + Path("out.jfr"), program, others);
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput truth(run.out);
    auto ours = SumsOf(WaitsOf(ReadSound("out.jfr")));
    auto jdk_sums = SumsIn(ReadSealed("jdk.jfr"));
    std::map<std::string, double> async_sums;
    if (has_async_profiler) {
      const auto recording = Recording::Read(jdk(), Path("async.jfr"));
      ASSERT_TRUE(recording) << recording.error().message();
      async_sums = SumsIn(recording.value());
    }
    for (const std::string& kind : kinds) {
      const Sums& sum = ours[kind];
      const double total = truth.Number("total." + kind);
      const double error = 2 * std::sqrt(sum.variance);
      printf("| %d | %s | %s %s | %.2f | %.2f ± %.2f | %.2f | %.2f | %.0f %% | %.0f %% |\n",
             jdk().major, kind.c_str(), count.c_str(), threads.c_str(), total / kSecond,
             sum.total / kSecond, error / kSecond, jdk_sums[kind] / kSecond,
             has_async_profiler ? async_sums[kind] / kSecond : NAN,
             100.0 * sum.owned / std::max(sum.events, 1),
             100.0 * sum.woken / std::max(sum.events, 1));
      EXPECT_NEAR(sum.total, total, sum.Tolerance(total)) << kind;
      EXPECT_LE(sum.longest, truth.Number("longest." + kind)) << kind;
      EXPECT_EQ(sum.strange_owners, "") << kind;
      EXPECT_EQ(sum.strange_wakers, "") << kind;
    }
  }

 private:
  // Sums the waits in another recorder's file by kind, which is the start of the thread's name.
  static std::map<std::string, double> SumsIn(const Recording& recording) {
    std::map<std::string, double> sums;
    for (const Event& event : recording.events()) {
      if (event.type != kEnter && event.type != kWait && event.type != kPark) continue;
      const std::string name = event.Text("eventThread.javaName");
      sums[name.substr(0, name.find('-'))] += static_cast<double>(event.Number("duration"));
    }
    return sums;
  }
};
JPROF_ON_EVERY_JDK(LockTableTest);

TEST_P(LockTableTest, TwoHundredPlatformThreads) {
  ExpectMeasuredTimes("platform", "200",
                      {"monitor", "notify", "reentrant", "semaphore", "latch", "future"});
}

class LockTableOfVirtualThreadsTest : public LockTableTest {};
JPROF_ON_JDKS_FROM(kFirstMajorWithVirtualThreads, LockTableOfVirtualThreadsTest);

// Before JDK 24 a virtual thread keeps its carrier while it waits for a monitor, so that ten
// thousand of them would need too many carriers.
TEST_P(LockTableOfVirtualThreadsTest, TenThousandVirtualThreads) {
  constexpr int kFirstMajorThatUnmounts = 24;
  std::vector<std::string> kinds = {"reentrant", "semaphore", "latch", "future"};
  if (jdk().major >= kFirstMajorThatUnmounts) {
    kinds.emplace_back("monitor");
    kinds.emplace_back("notify");
  }
  ExpectMeasuredTimes("virtual", "10000", kinds);
}

}  // namespace
}  // namespace jprof::test
