// lock=: threads that wait until another thread has initialized a class.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "integration/cli_fixture.h"
#include "integration/lock_waits.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

constexpr char kBegin[] = "ClassInitializations$";

class ClassInitializationTest : public CliTest {
 protected:
  void SetUp() override {
    const ProcessResult run =
        RunProcess(Java({"ClassInitializations", AgentLibrary(), NativeLibraryFolder(), folder()}));
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    truth_ = ProgramOutput(run.out);
  }

  // Returns the waits for class initializations in a recording, by the name of the waiting thread.
  std::map<std::string, Wait> WaitsForClasses(const std::string& recording) const {
    std::map<std::string, Wait> waits;
    for (const Wait& wait : WaitsOf(ReadSound(recording + ".jfr"))) {
      if (wait.event.Text("classInitialization") != "true") continue;
      EXPECT_EQ(wait.event.type, kWait) << "as Flight Recorder has it";
      EXPECT_TRUE(waits.emplace(NameOf(wait), wait).second) << NameOf(wait) << " waits once";
    }
    return waits;
  }

  void ExpectWait(const std::map<std::string, Wait>& waits, const std::string& thread,
                  const std::string& waited_class, const std::string& owner) const {
    const auto found = waits.find(thread);
    ASSERT_NE(found, waits.end()) << thread;
    const Wait& wait = found->second;
    EXPECT_EQ(wait.event.Text("monitorClass"), kBegin + waited_class) << thread;
    EXPECT_EQ(wait.event.Text(wait.owner() + ".javaThreadId"), owner.empty() ? "" : IdOf(owner))
        << thread;
    EXPECT_EQ(wait.event.Text("unfinished"), owner.empty() ? "false" : "true") << thread;
  }

  std::string IdOf(const std::string& thread) const {
    return std::to_string(static_cast<int64_t>(truth_.Number("id." + thread)));
  }

  ProgramOutput truth_{""};
};
JPROF_ON_EVERY_JDK(ClassInitializationTest);

TEST_P(ClassInitializationTest, WaitsThatDoNotEndNameClassAndInitializerAndADeadlock) {
  for (const std::string recording : {"never", "before"}) {
    SCOPED_TRACE(recording);
    const auto waits = WaitsForClasses(recording);
    EXPECT_EQ(waits.size(), 3U);
    ExpectWait(waits, "left", "Right", "right");
    ExpectWait(waits, "right", "Left", "left");
    ExpectWait(waits, "third", "Left", "left");
    for (const auto& [thread, wait] : waits) {
      EXPECT_GE(wait.waited(), 90 * kMilli) << thread;
      EXPECT_LE(wait.waited(), 10'000 * kMilli) << thread;
    }
    const ProcessResult blockers = Jprof({"view", "blockers", Path(recording + ".jfr")});
    EXPECT_THAT(blockers.out, HasSubstr("deadlock: left waits for right, right waits for left"));
    EXPECT_THAT(blockers.out, HasSubstr("ClassInitializations$Left"));
  }
}

// Returns the JDKs whose JVM posts a JVMTI event when a wait for a class ends: those before JDK 27.
std::vector<Jdk> JdksThatAnnounceEnds() {
  constexpr int kFirstWithoutEnds = 27;
  std::vector<Jdk> jdks = JdkList();
  std::erase_if(jdks, [](const Jdk& jdk) { return jdk.major >= kFirstWithoutEnds; });
  return jdks;
}

class EndedClassInitializationTest : public ClassInitializationTest {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EndedClassInitializationTest);
INSTANTIATE_TEST_SUITE_P(, EndedClassInitializationTest, testing::ValuesIn(JdksThatAnnounceEnds()),
                         testing::PrintToStringParamName());

TEST_P(EndedClassInitializationTest, WaitsAreAsLongAsTheThreadsMeasured) {
  const auto waits = WaitsForClasses("ended");
  EXPECT_EQ(waits.size(), 6U);
  std::vector<double> excesses;
  for (const std::string thread : {"slow-0", "slow-1", "slow-2", "slow-3", "slow-4", "sub-0"}) {
    ExpectWait(waits, thread, thread == "sub-0" ? "Base" : "Slow", "");
    if (waits.count(thread) == 0) continue;
    const double waited = waits.at(thread).waited();
    excesses.push_back(truth_.Number("waited." + thread) - waited);
    EXPECT_GE(excesses.back(), 0) << thread << ": the program's clock is around ours";
    EXPECT_GE(waited, 150 * kMilli) << thread;
  }
  // The thread's own measurement also contains the loading of code and the queueing for a
  // processor.
  ASSERT_FALSE(excesses.empty());
  EXPECT_LE(std::ranges::min(excesses), 10 * kMilli);
  const ProcessResult locks = Jprof({"view", "locks", Path("ended.jfr")});
  EXPECT_THAT(locks.out, HasSubstr("class initialization"));
  EXPECT_THAT(locks.out, HasSubstr("ClassInitializations$Slow"));
}

}  // namespace
}  // namespace jprof::test
