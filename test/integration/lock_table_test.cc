// The waits of many threads as they measured them, beside ours and those of Flight Recorder, which
// records the same run: rows of a table in docs/locks.md.
#include <cmath>
#include <cstdio>
#include <map>

#include "integration/cli_fixture.h"
#include "integration/lock_waits.h"

namespace jprof::test {
namespace {

constexpr double kSecond = 1e9;

class LockTableTest : public CliTest {
 protected:
  void ExpectMeasuredTimes(const std::string& threads, const std::string& count,
                           const std::vector<std::string>& kinds) {
    std::vector<std::string> program = {"Locks", threads, count, "2", "1"};
    program.insert(program.end(), kinds.begin(), kinds.end());
    const ProcessResult run =
        RunProfiled("start,lock=10ms,file=" + Path("out.jfr"), program,
                    {"-XX:StartFlightRecording=settings=profile,filename=" + Path("jdk.jfr")});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput truth(run.out);
    auto ours = SumsOf(WaitsOf(ReadSound("out.jfr")));
    auto others = JdkSums();
    for (const std::string& kind : kinds) {
      const Sums& sum = ours[kind];
      const double total = truth.Number("total." + kind);
      const double error = 2 * std::sqrt(sum.variance);
      printf("| %d | %s | %s %s | %.2f | %.2f ± %.2f | %.2f | %.0f %% | %.0f %% |\n", jdk().major,
             kind.c_str(), count.c_str(), threads.c_str(), total / kSecond, sum.total / kSecond,
             error / kSecond, others[kind] / kSecond, 100.0 * sum.owned / std::max(sum.events, 1),
             100.0 * sum.woken / std::max(sum.events, 1));
      EXPECT_NEAR(sum.total, total, sum.Tolerance(total)) << kind;
      EXPECT_LE(sum.longest, truth.Number("longest." + kind)) << kind;
      EXPECT_EQ(sum.strange_owners, "") << kind;
      EXPECT_EQ(sum.strange_wakers, "") << kind;
    }
  }

 private:
  // Of the recording of the JDK, by the kind that the thread's name begins with.
  std::map<std::string, double> JdkSums() const {
    std::map<std::string, double> sums;
    const Recording recording = ReadSealed("jdk.jfr");
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

// Before JDK 24 virtual threads keep their carriers while they wait for monitors: there are too
// few.
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
