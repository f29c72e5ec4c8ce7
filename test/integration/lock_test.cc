// lock=: the times for which threads wait for each other, compared with what the threads measured;
// the owner of each lock and the thread that ended each wait (the waker); and recordings that start
// or end while threads wait.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "integration/cli_fixture.h"
#include "integration/lock_waits.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kThreshold = 10'000'000;

const std::vector<std::string> kKinds = {"monitor",   "notify", "reentrant",
                                         "semaphore", "latch",  "future"};

class LockTest : public CliTest {
 protected:
  // Runs Locks with a recording, and compares the waiting times of each kind with the truth.
  Recording ExpectMeasuredTimes(const std::vector<std::string>& arguments,
                                const std::vector<std::string>& kinds) {
    std::vector<std::string> program = {"Locks"};
    program.insert(program.end(), arguments.begin(), arguments.end());
    program.insert(program.end(), kinds.begin(), kinds.end());
    const ProcessResult run = RunProfiled("start,lock=10ms,file=" + Path("out.jfr"), program);
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput truth(run.out);
    Recording recording = ReadSound("out.jfr");
    sums_ = SumsOf(WaitsOf(recording));
    for (const std::string& kind : kinds) {
      const Sums& sum = sums_[kind];
      const double total = truth.Number("total." + kind);
      EXPECT_NEAR(sum.total, total, sum.Tolerance(total)) << kind;
      // The program reads its clock before and after the profiler does, and so measures longer
      // waits.
      const double longest = truth.Number("longest." + kind);
      EXPECT_LE(sum.longest, longest) << kind;
      const bool is_one_wait = kind != "future" && kind != "crowd";
      EXPECT_GE(sum.longest, is_one_wait ? longest / 2 : 0) << kind;
    }
    return recording;
  }

  static std::map<std::string, double> CountersOf(const Recording& recording) {
    std::map<std::string, double> counters;
    for (const Event& counter : recording.OfType("profiler.Counter")) {
      counters[counter.Text("name")] = static_cast<double>(counter.Number("value"));
    }
    return counters;
  }

  // Runs ParksWithPermit with the arguments `more`. Returns how many waits were counted while its
  // threads parked.
  double ParksCounted(const std::vector<std::string>& more, ProgramOutput* truth) {
    std::vector<std::string> program = {"ParksWithPermit", AgentLibrary(), NativeLibraryFolder(),
                                        folder()};
    program.insert(program.end(), more.begin(), more.end());
    const ProcessResult run = RunProcess(Java(program));
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    *truth = ProgramOutput(run.out);
    const size_t at = run.out.find("|park: ");
    EXPECT_NE(at, std::string::npos) << run.Describe();
    return at == std::string::npos ? 0 : std::stod(run.out.substr(at + strlen("|park: ")));
  }

  std::map<std::string, Sums> sums_;
};
JPROF_ON_EVERY_JDK(LockTest);

TEST_P(LockTest, WaitsOfPlatformThreadsAreAsLongAsTheyMeasured) {
  const Recording recording = ExpectMeasuredTimes({"platform", "20", "10", "2"}, kKinds);
  // The waker is unknown if a thread is unparked before it has parked. On a busy machine such a
  // thread still waits in its park, for a processor.
  for (const char* kind : {"reentrant", "semaphore", "latch", "future"}) {
    EXPECT_GE(sums_[kind].woken, sums_[kind].events / 2) << kind;
    EXPECT_EQ(sums_[kind].strange_wakers, "") << kind;
  }
  EXPECT_EQ(sums_["reentrant"].strange_owners, "");
  // The owner is unknown while a lock passes from one owner to the next. The waker is unknown in
  // this case as well.
  EXPECT_GE(sums_["reentrant"].owned, sums_["reentrant"].woken);

  std::map<std::string, std::string> classes;
  for (const Wait& wait : WaitsOf(recording)) {
    const std::string name = NameOf(wait);
    const bool is_park = wait.event.type == kPark;
    classes[name.substr(0, name.find('-'))] =
        wait.event.Text(is_park ? "parkedClass" : "monitorClass");
    if (!name.starts_with("reentrant")) continue;
    EXPECT_TRUE(wait.event.HasFramesInOrder({"java.util.concurrent.locks.LockSupport.park",
                                             "java.util.concurrent.locks.ReentrantLock.lock"}));
    EXPECT_EQ(wait.event.frames.front().method, "java.util.concurrent.locks.LockSupport.park");
  }
  EXPECT_EQ(classes["monitor"], "Locks$Monitor");
  EXPECT_EQ(classes["notify"], "Locks$Condition");
  EXPECT_EQ(classes["reentrant"], "java.util.concurrent.locks.ReentrantLock$FairSync");
  EXPECT_EQ(classes["semaphore"], "java.util.concurrent.Semaphore$FairSync");
  EXPECT_EQ(classes["latch"], "java.util.concurrent.CountDownLatch$Sync");
  EXPECT_EQ(classes["future"], "java.util.concurrent.CompletableFuture$Signaller");
}

// The sum over recorded waits and the sum of the waits below the threshold are together the exact
// total.
TEST_P(LockTest, ExactTotalsAreRecordedWaitsAndThoseBelowTheThreshold) {
  const ProcessResult run =
      RunProfiled("start,lock=10ms,file=" + Path("out.jfr"),
                  {"Locks", "platform", "8", "40", "1", "monitor", "latch", "permit"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  std::map<std::string, double> long_ones;
  std::map<std::string, double> longest;
  std::map<std::string, Sums> drawn;
  const std::map<std::string, std::string> names = {
      {kEnter, "monitor enter"}, {kWait, "Object.wait"}, {kPark, "park"}};
  for (const Wait& wait : WaitsOf(recording)) {
    const std::string& name = names.at(wait.event.type);
    longest[name] = std::max(longest[name], wait.waited());
    if (wait.waited() >= kThreshold) {
      EXPECT_NEAR(wait.duration(), wait.waited(), 1000) << "the duration is the wait";
      long_ones[name] += wait.waited();
    } else {
      EXPECT_NEAR(wait.duration(), kThreshold, 1000) << "it stands for others";
      drawn[name].total += wait.duration();
      drawn[name].variance += wait.duration() * (wait.duration() - wait.waited());
    }
  }
  std::map<std::string, double> counters = CountersOf(recording);
  constexpr int kParksWithPermit = (8 * 40 + 4 * 3) * 100;
  EXPECT_LT(counters["park: waits"], kParksWithPermit / 10);
  for (const auto& [type, name] : names) {
    const double below = counters[name + ": ns below the threshold"];
    EXPECT_EQ(counters[name + ": ns"] - below, long_ones[name]) << name;
    EXPECT_NEAR(drawn[name].total, below,
                4 * std::sqrt(std::max(drawn[name].variance, below * kThreshold)))
        << name;
    EXPECT_THAT(
        run.err,
        HasSubstr(name + ": " + std::to_string(static_cast<int64_t>(counters[name + ": waits"])) +
                  " waits of "));
    if (longest[name] >= kThreshold) {
      EXPECT_EQ(counters[name + ": ns, longest"], longest[name]) << name;
    }
  }
}

TEST_P(LockTest, RecordingsMayBeginAndEndInTheMiddleOfWaits) {
  const ProcessResult run =
      RunProcess(Java({"WaitsAcross", AgentLibrary(), NativeLibraryFolder(), folder()}));
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  const auto waits = [&](int number) {
    std::map<std::string, Wait> by_thread;
    for (const Wait& wait : WaitsOf(ReadSound(std::to_string(number) + ".jfr"))) {
      const std::string name = NameOf(wait);
      if (!name.ends_with("-0") && !name.ends_with("-1")) continue;
      EXPECT_EQ(by_thread.count(name), 0U) << name << " has waited once";
      by_thread.insert_or_assign(name, wait);
      const std::string key = std::to_string(number);
      EXPECT_GE(wait.waited(), truth.Number(key + ".least")) << name;
      EXPECT_LE(wait.waited(), truth.Number(key + ".most")) << name;
    }
    return by_thread;
  };
  const auto first = waits(1);
  ASSERT_EQ(first.size(), 3U) << run.Describe();
  for (const auto& [name, wait] : first) {
    EXPECT_EQ(wait.event.Text("unfinished"), "true") << name;
  }
  EXPECT_EQ(first.at("monitor-0").event.type, kEnter);
  EXPECT_TRUE(first.at("monitor-0").event.HasFrame("WaitsAcross.enter"));
  EXPECT_EQ(first.at("wait-0").event.type, kWait);
  EXPECT_TRUE(first.at("wait-0").event.HasFrame("WaitsAcross.await"));
  EXPECT_EQ(first.at("park-0").event.type, kPark);
  EXPECT_TRUE(first.at("park-0").event.HasFrame("WaitsAcross.lock"));

  const auto second = waits(2);
  for (const char* name : {"monitor-0", "wait-0"}) {
    ASSERT_EQ(second.count(name), 1U) << name;
    EXPECT_EQ(second.at(name).event.Text("unfinished"), "false") << name;
  }
  EXPECT_EQ(second.at("park-0").event.Text("unfinished"), "true");

  const auto third = waits(3);
  ASSERT_EQ(third.count("park-1"), 1U);
  const Wait& parked = third.at("park-1");
  EXPECT_EQ(parked.event.Text("unfinished"), "true");
  EXPECT_EQ(parked.event.Text(parked.owner() + ".javaName"), "main");
  EXPECT_EQ(parked.event.Text("parkedClass"),
            "java.util.concurrent.locks.ReentrantLock$NonfairSync");
  EXPECT_TRUE(parked.event.HasFrame("WaitsAcross.lock"));

  EXPECT_EQ(truth.Number("changed.during"), 1);
  EXPECT_EQ(truth.Number("changed.after"), 0);
  EXPECT_EQ(truth.Number("changed.end"), 0);
}

TEST_P(LockTest, ViewsNameLocksPlacesAndBlockersAndADeadlock) {
  const ProcessResult run = RunProfiled("start,lock=1ms,file=" + Path("out.jfr"), {"Deadlock"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProcessResult blockers = Jprof({"view", "blockers", Path("out.jfr")});
  ASSERT_EQ(blockers.exit_code, 0) << blockers.Describe();
  EXPECT_THAT(blockers.out, HasSubstr("deadlock: left waits for right, right waits for left"));
  const ProcessResult locks = Jprof({"view", "locks", "--json", Path("out.jfr")});
  ASSERT_EQ(locks.exit_code, 0) << locks.Describe();
  EXPECT_THAT(locks.out, HasSubstr("java.util.concurrent.locks.ReentrantLock$NonfairSync"));
  EXPECT_THAT(locks.out, HasSubstr("Deadlock.lock"));
  ASSERT_EQ(Jprof({"convert", Path("out.jfr"), Path("out.html")}).exit_code, 0);
  std::ostringstream page;
  page << std::ifstream(Path("out.html")).rdbuf();
  EXPECT_THAT(page.str(), HasSubstr("deadlock: left waits for right, right waits for left"));
  EXPECT_THAT(page.str(),
              Not(HasSubstr("no samples of lock")));  // monitors have none, but parks have some
}

TEST_P(LockTest, ViewBlockersAdvisesToRecordLocksWhereThereAreNone) {
  const char* const ask = "record with --event lock";
  // The main thread only waits for the end of the other one, and no other thread prints meanwhile.
  ASSERT_EQ(
      RunProfiled("start,lock=100ms,file=" + Path("none.jfr"), {"BusyLoop", "1", "200"}).exit_code,
      0);
  const ProcessResult without_owners = Jprof({"view", "blockers", Path("none.jfr")});
  EXPECT_THAT(without_owners.out, HasSubstr("No owner of a lock is known"));
  EXPECT_THAT(without_owners.out, Not(HasSubstr(ask)));
  ASSERT_EQ(RunProfiled("start,cpu=1ms,file=" + Path("cpu.jfr"), {"Hello"}).exit_code, 0);
  EXPECT_THAT(Jprof({"view", "blockers", Path("cpu.jfr")}).out, HasSubstr(ask));
}

TEST_P(LockTest, AParkIsCountedUnlessItFindsItsPermit) {
  ProgramOutput truth("");
  const double parks = ParksCounted({}, &truth);
  EXPECT_GE(parks, truth.Number("without.permit"));
  EXPECT_LT(parks, truth.Number("with.permit") / 2);
}

TEST_P(LockTest, AThreadWithoutContentionHasNoWaits) {
  const ProcessResult run = RunProfiled("start,lock=10ms,file=" + Path("out.jfr"),
                                        {"Locks", "platform", "1", "3", "20", "monitor"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  for (const Wait& wait : WaitsOf(ReadSound("out.jfr"))) EXPECT_NE(NameOf(wait), "monitor-0");
}

class LockInVirtualThreadsTest : public LockTest {};
JPROF_ON_JDKS_FROM(kFirstMajorWithOwnerIds, LockInVirtualThreadsTest);

// The word in which the JVM stores the permit is found only for platform threads.
TEST_P(LockInVirtualThreadsTest, EveryParkIsCountedWherePermitsCannotBeRead) {
  ProgramOutput truth("");
  const double parks = ParksCounted({"virtual"}, &truth);
  EXPECT_GE(parks, truth.Number("without.permit") + truth.Number("with.permit"));
}

TEST_P(LockInVirtualThreadsTest, WaitsOfVirtualThreadsAreAsLongAsTheyMeasured) {
  std::vector<std::string> kinds = kKinds;
  kinds.emplace_back("crowd");
  kinds.emplace_back("permit");
  const Recording recording = ExpectMeasuredTimes({"virtual", "500", "2", "1"}, kinds);
  constexpr int kParksWithPermit = (500 * 2 + 4 * 3) * 100;
  EXPECT_LT(CountersOf(recording)["park: waits"], kParksWithPermit / 2);
  for (const Wait& wait : WaitsOf(recording)) {
    const std::map<std::string, std::string> places = {{"notify", "Locks.waitForNotify"},
                                                       {"latch", "Locks.awaitLatch"},
                                                       {"future", "Locks.awaitFuture"}};
    const auto place = places.find(NameOf(wait).substr(0, NameOf(wait).find('-')));
    if (place == places.end()) continue;
    EXPECT_EQ(wait.event.Text("eventThread.group"), "VirtualThreads");
    EXPECT_TRUE(wait.event.HasFrame(place->second)) << wait.event.type << ' ' << NameOf(wait);
  }
  for (const char* view :
       {"contention-by-site", "contention-by-class", "contention-by-thread", "latencies-by-type"}) {
    ProcessSpec spec;
    spec.argv = {jdk().Tool("jfr"), "view", view, Path("out.jfr")};
    const ProcessResult shown = RunProcess(spec);
    EXPECT_EQ(shown.exit_code, 0) << shown.Describe();
    EXPECT_THAT(shown.out, HasSubstr(std::string(view) == "latencies-by-type" ? "Java Thread Park"
                                     : std::string(view) == "contention-by-class" ? "Locks$Monitor"
                                     : std::string(view) == "contention-by-site"  ? "Locks.lambda"
                                                                                  : "monitor-"))
        << view;
  }
}

}  // namespace
}  // namespace jprof::test
