// Waits that have not ended when the recording stops: for whom and for what, as the threads know
// it.
#include <map>
#include <string>
#include <vector>

#include "integration/cli_fixture.h"
#include "integration/lock_waits.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

constexpr char kFair[] = "java.util.concurrent.locks.ReentrantLock$FairSync";

struct Expected {
  const char* thread;
  const char* lock;
  const char* owner;  // nullptr: none
};
constexpr Expected kMonitors[] = {{"left", "UnendedWaits$Right", "right"},
                                  {"right", "UnendedWaits$Left", "left"},
                                  {"listener", "UnendedWaits$Signal", nullptr}};
constexpr Expected kLocks[] = {{"up", kFair, "down"}, {"down", kFair, "up"}};

class UnendedWaitsTest : public CliTest {
 protected:
  // Runs the program. False: the JDK does not have the collector.
  bool Run(const std::string& threads, const std::string& collector) {
    const std::string option = "Use" + collector + "GC";
    const ProcessResult run =
        RunProcess(Java({"UnendedWaits", AgentLibrary(), NativeLibraryFolder(), folder(), threads},
                        {"-XX:+UnlockExperimentalVMOptions", "-XX:+" + option}));
    if (run.exit_code == 1 && (run.out + run.err).find(option) != std::string::npos) return false;
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    truth_ = ProgramOutput(run.out);
    return true;
  }

  template <size_t n>
  void Expect(const std::string& recording, const Expected (&expected)[n],
              bool knows_owners = true) const {
    SCOPED_TRACE(recording);
    std::map<std::string, Wait> waits;
    for (const Wait& wait : WaitsOf(ReadSound(recording + ".jfr"))) {
      if (wait.facts.Text("unfinished") == "true") waits.insert_or_assign(ThreadOf(wait), wait);
    }
    for (const Expected& each : expected) {
      const auto found = waits.find(IdOf(recording, each.thread));
      ASSERT_NE(found, waits.end()) << each.thread;
      const Event& event = found->second.event;
      EXPECT_EQ(event.Text(event.type == kPark ? "parkedClass" : "monitorClass"), each.lock)
          << each.thread;
      if (each.owner == nullptr || knows_owners) {
        EXPECT_EQ(found->second.facts.Text("owner.javaThreadId"),
                  each.owner == nullptr ? "" : IdOf(recording, each.owner))
            << each.thread;
      }
    }
  }

  void ExpectDeadlock(const std::string& recording, const std::string& one, const std::string& two,
                      const std::string& lock) const {
    const ProcessResult view = Jprof({"view", "blockers", "--json", Path(recording + ".jfr")});
    ASSERT_EQ(view.exit_code, 0) << view.Describe();
    const std::string first = one + '-' + recording;
    const std::string second = two + '-' + recording;
    EXPECT_THAT(view.out, testing::AnyOf(HasSubstr(first + " waits for " + second),
                                         HasSubstr("and 1 more deadlocks")));
    EXPECT_THAT(view.out, HasSubstr(lock));
  }

 private:
  static std::string ThreadOf(const Wait& wait) {
    return wait.event.Text("eventThread.javaThreadId");
  }
  std::string IdOf(const std::string& recording, const std::string& thread) const {
    return std::to_string(static_cast<int64_t>(truth_.Number("id." + thread + '-' + recording)));
  }

  ProgramOutput truth_{""};
};
JPROF_ON_EVERY_JDK(UnendedWaitsTest);

TEST_P(UnendedWaitsTest, OwnersAndLocksAreKnownWithEveryCollector) {
  for (const std::string collector : {"G1", "Z", "Shenandoah"}) {
    SCOPED_TRACE(collector);
    if (!Run("platform", collector)) continue;
    Expect("during", kMonitors);
    Expect("during", kLocks);
    Expect("before", kLocks);
    ExpectDeadlock("during", "left", "right", "UnendedWaits$Right");
    ExpectDeadlock("during", "up", "down", kFair);
    ExpectDeadlock("before", "up", "down", kFair);
  }
}

// Since JDK 24 a virtual thread leaves its carrier while it waits for a monitor (JEP 491).
constexpr int kFirstMajorWithOwnerIds = 24;
class UnendedWaitsOfVirtualThreadsTest : public UnendedWaitsTest {};
JPROF_ON_JDKS_FROM(kFirstMajorWithOwnerIds, UnendedWaitsOfVirtualThreadsTest);

// An owner without a carrier is not known of a monitor that nobody wanted before.
TEST_P(UnendedWaitsOfVirtualThreadsTest, LocksAreKnown) {
  ASSERT_TRUE(Run("virtual", "G1"));
  Expect("during", kMonitors, false);
  Expect("during", kLocks);
  ExpectDeadlock("during", "up", "down", kFair);
}

}  // namespace
}  // namespace jprof::test
