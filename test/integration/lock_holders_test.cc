// The stacks of threads that hold locks, and of threads that end waits, compared with the methods
// in which the program says that its threads held the lock.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "integration/cli_fixture.h"
#include "integration/lock_waits.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

constexpr double kLong = 10'000'000;

struct Hold {
  std::string thread, method;
  double from_ns = 0, to_ns = 0;
};

std::vector<Hold> HoldsOf(const std::string& output) {
  std::vector<Hold> holds;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    Hold hold;
    if (words >> word >> hold.thread >> hold.method >> hold.from_ns >> hold.to_ns &&
        word == "hold") {
      holds.push_back(hold);
    }
  }
  return holds;
}

// True if the thread has just got the lock, or is about to release it.
bool IsAtTheEdge(const std::string& frames) {
  return frames.find("LockHolders.hold") == std::string::npos &&
         (frames.find("LockHolders.inMonitor:") != std::string::npos ||
          frames.find("LockHolders.inLock:") != std::string::npos);
}

// The waits of at least 10 ms, with their holders.
struct Looks {
  int waits = 0;
  int with_stack = 0;
  int right = 0;
  int woken = 0;  // waits with a waker
  int with_waker_stack = 0;
  std::string wrong = {};

  int without_stack() const { return waits - with_stack; }
  int not_right() const { return with_stack - right; }
};

// Returns the number that a Poisson variable with this mean exceeds once in 10 000 cases.
int MostOf(double mean) {
  double term = std::exp(-mean);
  double sum = term;
  int most = 0;
  while (1 - sum > 1e-4) {
    term *= mean / ++most;
    sum += term;
  }
  return most;
}

class LockHoldersTest : public CliTest {
 protected:
  // Runs LockHolders, and compares each stack of a holder with the turns of that thread that
  // overlap the wait.
  Looks Compare(const std::vector<std::string>& arguments, const std::string& options = "") {
    std::vector<std::string> program = {"LockHolders"};
    program.insert(program.end(), arguments.begin(), arguments.end());
    run_ = RunProfiled("start,lock=10ms," + options + "file=" + Path("out.jfr"), program);
    EXPECT_EQ(run_.exit_code, 0) << run_.Describe();
    const std::vector<Hold> holds = HoldsOf(run_.out);
    Looks looks;
    for (const Wait& wait : WaitsOf(ReadSound("out.jfr"))) {
      // Threads also wait for locks of the JDK, for example while classes are loaded.
      const bool is_ours =
          wait.event.Text("monitorClass") == "LockHolders$Monitor" ||
          wait.event.HasFramesInOrder(
              {"java.util.concurrent.locks.ReentrantLock.lock", "LockHolders.inLock"});
      if (!is_ours || wait.waited() < kLong) continue;
      ++looks.waits;
      looks.woken += wait.event.Text("waker.javaName").empty() ? 0 : 1;
      const std::string waking = wait.event.Text("wakerStackTrace.frames");
      looks.with_waker_stack += waking.find("LockHolders.inLock:") != std::string::npos ? 1 : 0;
      const std::string frames = wait.event.Text("holderStackTrace.frames");
      // The name of a placeholder begins with a bracket. A stack that ends so is not complete.
      if (frames.empty() || frames.find("jprof.[") != std::string::npos) continue;
      ++looks.with_stack;
      const double end_ns = static_cast<double>(wait.event.Number("startTime")) + wait.duration();
      const std::string holder = wait.event.Text("holder.javaName");
      const bool is_right = std::ranges::any_of(holds, [&](const Hold& hold) {
        return hold.thread == holder && hold.from_ns < end_ns &&
               hold.to_ns > end_ns - wait.waited() &&
               (frames.find("LockHolders." + hold.method + ":") != std::string::npos ||
                IsAtTheEdge(frames));
      });
      looks.right += is_right ? 1 : 0;
      if (!is_right) looks.wrong += holder + ": " + frames.substr(0, 300) + "\n";
    }
    return looks;
  }

  void ExpectMostAreKnown(const Looks& looks) const {
    RecordProperty("waits", looks.waits);
    RecordProperty("with_stack", looks.with_stack);
    RecordProperty("right", looks.right);
    EXPECT_GE(looks.waits, 20);
    EXPECT_LE(looks.without_stack(), MostOf(0.1 * looks.waits)) << looks.waits << '\n' << run_.err;
    EXPECT_LE(looks.not_right(), MostOf(0.01 * looks.with_stack)) << looks.wrong;
  }

  ProcessResult run_;
};
JPROF_ON_EVERY_JDK(LockHoldersTest);

TEST_P(LockHoldersTest, HoldersOfMonitorsAreInTheMethodsThatTheyName) {
  ExpectMostAreKnown(Compare({"platform", "monitor", "busy", "4", "30", "20"}));
  EXPECT_THAT(run_.err, HasSubstr("stacks of threads that held locks: for "));
}

TEST_P(LockHoldersTest, HoldersOfLocksAndWakersAreInTheMethodsThatTheyName) {
  const Looks looks = Compare({"platform", "fair", "busy", "4", "30", "20"});
  ExpectMostAreKnown(looks);
  EXPECT_LE(looks.waits - looks.woken, MostOf(0.1 * looks.waits));
  // The waker does not see that the wait was long if the looker got no processor meanwhile.
  EXPECT_LE(looks.woken - looks.with_waker_stack, MostOf(0.1 * looks.woken));
}

TEST_P(LockHoldersTest, HoldersThatSleepAreInTheMethodsThatTheyName) {
  ExpectMostAreKnown(Compare({"platform", "monitor", "asleep", "8", "15", "15"}));
}

// The lock has several holders in the course of a wait. The holder is the thread that holds the
// lock when its stack is taken, and not the one that held it when the wait began.
TEST_P(LockHoldersTest, HoldersThatChangeAreInTheMethodsThatTheyName) {
  for (const char* kind : {"monitor", "fair"}) {
    const Looks looks = Compare({"platform", kind, "busy", "8", "40", "3"});
    EXPECT_GE(looks.waits, 20);
    EXPECT_GE(looks.with_stack, looks.waits / 2) << kind << run_.err;
    EXPECT_LE(looks.not_right(), MostOf(0.01 * looks.with_stack)) << kind << looks.wrong;
  }
}

TEST_P(LockHoldersTest, ViewsNameThePlacesWhereLocksAreHeld) {
  const Looks looks = Compare({"platform", "fair", "busy", "3", "10", "20"});
  ASSERT_GT(looks.with_stack, 0);
  for (const char* view : {"locks", "blockers"}) {
    const ProcessResult shown = Jprof({"view", view, "--json", Path("out.jfr")});
    ASSERT_EQ(shown.exit_code, 0) << shown.Describe();
    EXPECT_THAT(shown.out, HasSubstr(" in LockHolders.work \\u003c- LockHolders.hold")) << view;
  }
  ASSERT_EQ(Jprof({"convert", Path("out.jfr"), Path("out.html")}).exit_code, 0);
  ProcessSpec spec;
  spec.argv = {jdk().Tool("jfr"), "print", "--events", "ThreadPark", Path("out.jfr")};
  const ProcessResult printed = RunProcess(spec);
  EXPECT_EQ(printed.exit_code, 0) << printed.Describe();
  EXPECT_THAT(printed.out, HasSubstr("holderStackTrace = "));
}

class VirtualLockHoldersTest : public LockHoldersTest {};
JPROF_ON_JDKS_FROM(kFirstMajorWithVirtualThreads, VirtualLockHoldersTest);

TEST_P(VirtualLockHoldersTest, HoldersThatAreVirtualThreadsAreInTheMethodsThatTheyName) {
  ExpectMostAreKnown(Compare({"virtual", "fair", "busy", "4", "60", "20"}));
  ExpectMostAreKnown(Compare({"virtual", "monitor", "busy", "4", "60", "20"}));
}

class LongHoldersTest : public LockHoldersTest {};
JPROF_ON_EVERY_JDK(LongHoldersTest);

TEST_P(LongHoldersTest, StacksOutliveSeveralChunks) {
  for (const char* kind : {"monitor", "fair"}) {
    const Looks looks = Compare({"platform", kind, "asleep", "5", "1", "1000"}, "chunktime=1s,");
    EXPECT_GE(looks.waits, 3);
    EXPECT_EQ(looks.with_stack, looks.waits) << kind << run_.err;
    EXPECT_EQ(looks.right, looks.with_stack) << kind << looks.wrong;
  }
}

}  // namespace
}  // namespace jprof::test
