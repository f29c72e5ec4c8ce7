// Waits that have not ended when the recording stops. Their locks and owners are those that the
// threads know.
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
  const char* owner;  // nullptr if there is none
};
constexpr Expected kMonitors[] = {{"left", "UnendedWaits$Right", "right"},
                                  {"right", "UnendedWaits$Left", "left"},
                                  {"listener", "UnendedWaits$Signal", nullptr}};
constexpr Expected kLocks[] = {{"up", kFair, "down"}, {"down", kFair, "up"}};

class UnendedWaitsTest : public CliTest {
 protected:
  // Runs the program. Returns false if the JDK does not have the collector.
  bool Run(const std::string& threads, const std::string& collector,
           std::vector<std::string> jvm_options = {}) {
    const std::string option = "Use" + collector + "GC";
    jvm_options.insert(jvm_options.end(), {"-XX:+UnlockExperimentalVMOptions", "-XX:+" + option});
    const ProcessResult run = RunProcess(Java(
        {"UnendedWaits", AgentLibrary(), NativeLibraryFolder(), folder(), threads}, jvm_options));
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
      if (wait.event.Text("unfinished") == "true") waits.insert_or_assign(ThreadOf(wait), wait);
    }
    for (const Expected& each : expected) {
      const auto found = waits.find(IdOf(recording, each.thread));
      ASSERT_NE(found, waits.end()) << each.thread;
      const Event& event = found->second.event;
      EXPECT_EQ(event.Text(event.type == kPark ? "parkedClass" : "monitorClass"), each.lock)
          << each.thread;
      if (each.owner == nullptr || knows_owners) {
        EXPECT_EQ(found->second.event.Text(found->second.owner() + ".javaThreadId"),
                  each.owner == nullptr ? "" : IdOf(recording, each.owner))
            << each.thread;
      }
    }
  }

  void ExpectDeadlocks(const std::string& recording, int count, const std::string& lock) const {
    const ProcessResult view = Jprof({"view", "blockers", "--json", Path(recording + ".jfr")});
    ASSERT_EQ(view.exit_code, 0) << view.Describe();
    EXPECT_THAT(view.out, HasSubstr("deadlock: "));
    if (count > 1) {
      EXPECT_THAT(view.out, HasSubstr("and " + std::to_string(count - 1) + " more deadlocks"));
    }
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
    for (const std::string recording : {"during", "before"}) {
      Expect(recording, kMonitors);
      Expect(recording, kLocks);
      // In the second recording, the threads that wait in the first one still wait.
      ExpectDeadlocks(recording, recording == "during" ? 2 : 4, "UnendedWaits$Right");
    }
  }
}

// An agent that is present at launch has JVMTI capabilities that a later agent does not get.
TEST_P(UnendedWaitsTest, OwnersAndLocksAreKnownToAnAgentThatWasThereAtTheStart) {
  ASSERT_TRUE(Run("platform", "G1", {AgentArgument("start,lock=1ms,file=" + Path("first.jfr"))}));
  for (const std::string recording : {"during", "before"}) Expect(recording, kMonitors);
}

class UnendedWaitsOfVirtualThreadsTest : public UnendedWaitsTest {};
JPROF_ON_JDKS_FROM(kFirstMajorWithOwnerIds, UnendedWaitsOfVirtualThreadsTest);

// The owner of a monitor is unknown if it has no carrier, unless another thread has waited for the
// monitor before.
TEST_P(UnendedWaitsOfVirtualThreadsTest, LocksAreKnown) {
  ASSERT_TRUE(Run("virtual", "G1"));
  Expect("during", kMonitors, false);
  Expect("during", kLocks);
  ExpectDeadlocks("during", 1, kFair);
}

}  // namespace
}  // namespace jprof::test
