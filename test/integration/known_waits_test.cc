// Waits of threads that know for whom they wait, how long, and who ends that (KnownWaits).
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "integration/cli_fixture.h"
#include "integration/lock_waits.h"

namespace jprof::test {
namespace {

constexpr double kMs = 1'000'000;

struct Tally {
  size_t waits = 0;
  size_t owned = 0;  // with an owner that is named
  size_t woken = 0;  // with a waker that is named
  std::string wrong = {};
  // Of the longest wait of each round: how much longer the program's clock has it.
  std::vector<double> excesses = {};
};

std::string RoundOf(const std::string& thread) { return thread.substr(0, thread.rfind('-')); }

bool IsPark(const std::string& kind) { return kind == "reentrant" || kind == "park"; }

// The longest wait of each thread: each waits once for its lock, and perhaps for others briefly.
std::map<std::string, Wait> LongestOf(const Recording& recording, const std::string& kind) {
  std::map<std::string, Wait> longest;
  for (const Wait& wait : WaitsOf(recording)) {
    const std::string name = NameOf(wait);
    if (!name.starts_with(kind + "-") || name.ends_with("-owner")) continue;
    if (wait.event.type != (IsPark(kind) ? kPark : kEnter)) continue;
    const auto [entry, is_new] = longest.try_emplace(name, wait);
    if (!is_new && entry->second.waited() < wait.waited()) entry->second = wait;
  }
  return longest;
}

class KnownWaitsTest : public CliTest {
 protected:
  static constexpr size_t kRounds = 20;
  static constexpr size_t kThreads = 5;

  std::map<std::string, Tally> TallyOf(const std::string& threads,
                                       const std::vector<std::string>& kinds,
                                       const std::vector<std::string>& jvm_options = {}) {
    std::vector<std::string> program = {"KnownWaits", threads, std::to_string(kRounds),
                                        std::to_string(kThreads)};
    program.insert(program.end(), kinds.begin(), kinds.end());
    const ProcessResult run =
        RunProfiled("start,lock=100us,file=" + Path("out.jfr"), program, jvm_options);
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput truth(run.out);
    const Recording recording = ReadSound("out.jfr");
    std::map<std::string, Tally> tallies;
    for (const std::string& kind : kinds) {
      tallies[kind] = TallyOf(truth, LongestOf(recording, kind), kind);
    }
    return tallies;
  }

 private:
  static Tally TallyOf(const ProgramOutput& truth, const std::map<std::string, Wait>& waits,
                       const std::string& kind) {
    Tally tally;
    std::map<std::string, std::string> longest;  // by round: the thread
    for (const auto& [name, wait] : waits) {
      ++tally.waits;
      const std::string round = RoundOf(name);
      const std::string owner = wait.facts.Text("owner.javaName");
      const std::string waker = wait.facts.Text("waker.javaName");
      const double measured = truth.Number("waited." + name);
      EXPECT_LE(wait.waited(), measured) << name;
      if (!owner.empty() && ++tally.owned != 0 && owner != round + "-owner") {
        tally.wrong += name + " owned by " + owner + "; ";
      }
      const double number = IsPark(kind) ? truth.Number("waker." + name) : 0;
      const std::string woken_by =
          round + (number < 0 ? "-owner" : "-" + std::to_string(static_cast<int>(number)));
      if (!waker.empty() && ++tally.woken != 0 && waker != woken_by) {
        tally.wrong += name + " woken by " + waker + ", not " + woken_by + "; ";
      }
      const auto [entry, is_new] = longest.try_emplace(round, name);
      if (!is_new && truth.Number("waited." + entry->second) < measured) entry->second = name;
    }
    for (const auto& [round, name] : longest) {
      tally.excesses.push_back(truth.Number("waited." + name) - waits.at(name).waited());
    }
    std::ranges::sort(tally.excesses);
    return tally;
  }
};
JPROF_ON_EVERY_JDK(KnownWaitsTest);

TEST_P(KnownWaitsTest, OwnersAndWakersAreThoseThatTheThreadsKnow) {
  for (auto& [kind, tally] : TallyOf("platform", {"monitor", "fresh", "reentrant", "park"})) {
    EXPECT_EQ(tally.waits, kRounds * kThreads) << kind;
    EXPECT_EQ(tally.wrong, "") << kind;
    EXPECT_GE(tally.owned * 10, kind == "park" ? 0 : tally.waits * 9) << kind;
    EXPECT_GE(tally.woken * 10, IsPark(kind) ? tally.waits * 9 : 0) << kind;
    // A busy machine may let a thread wait for a processor between two clocks, seldom.
    ASSERT_EQ(tally.excesses.size(), kRounds) << kind;
    EXPECT_LE(tally.excesses[kRounds / 2], kMs) << kind;
  }
}

}  // namespace
}  // namespace jprof::test
