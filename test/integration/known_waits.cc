#include "integration/known_waits.h"

#include <algorithm>

namespace jprof::test {
namespace {

std::string RoundOf(const std::string& thread) { return thread.substr(0, thread.rfind('-')); }

const char* ClassOf(const std::string& kind) {
  if (kind == "park") return "KnownWaits$Gate";
  return kind == "reentrant" ? "java.util.concurrent.locks.ReentrantLock$FairSync"
                             : "KnownWaits$MonitorLock";
}

// Returns the longest wait of each thread for its lock. A thread can have several waits because a
// park can end spuriously and be repeated.
std::map<std::string, Wait> LongestOf(const std::vector<Wait>& waits, const std::string& kind) {
  std::map<std::string, Wait> longest;
  for (const Wait& wait : waits) {
    const std::string name = NameOf(wait);
    if (!name.starts_with(kind + "-") || name.ends_with("-owner")) continue;
    if (wait.event.Text(IsPark(kind) ? "parkedClass" : "monitorClass") != ClassOf(kind)) continue;
    const auto [entry, is_new] = longest.try_emplace(name, wait);
    if (!is_new && entry->second.waited() < wait.waited()) entry->second = wait;
  }
  return longest;
}

// Compares the thread that `field` of the wait names with the `expected` one. Counts a named thread
// in *named, and a wrong one in known->wrong.
void CountNamed(const ProgramOutput& truth, const Wait& wait, const std::string& field,
                const std::string& expected, size_t* named, KnownWaits* known) {
  const int64_t id = wait.event.Number(field + ".javaThreadId");
  if (id == 0) return;
  ++*named;
  if (static_cast<double>(id) == truth.Number("id." + expected)) return;
  ++known->wrong;
  known->errors += NameOf(wait) + ": " + field + ' ' + wait.event.Text(field + ".javaName") + " (" +
                   std::to_string(id) + "), not " + expected + "; ";
}

KnownWaits CompareKind(const ProgramOutput& truth, const std::map<std::string, Wait>& waits,
                       const std::string& kind) {
  KnownWaits known;
  std::map<std::string, std::string> longest;  // by round, the thread with the longest wait
  for (const auto& [name, wait] : waits) {
    ++known.waits;
    const std::string round = RoundOf(name);
    CountNamed(truth, wait, wait.owner(), round + "-owner", &known.owned, &known);
    const double waker = IsPark(kind) ? truth.Number("waker." + name) : -1;
    const std::string woken_by = waker < 0 ? "owner" : std::to_string(static_cast<int>(waker));
    CountNamed(truth, wait, wait.waker(), round + '-' + woken_by, &known.woken, &known);
    const double measured = truth.Number("waited." + name);
    EXPECT_LE(wait.waited(), measured) << name << ": the program's clock is around ours";
    const auto [entry, is_new] = longest.try_emplace(round, name);
    if (!is_new && truth.Number("waited." + entry->second) < measured) entry->second = name;
  }
  for (const auto& [round, name] : longest) {
    known.excesses.push_back(truth.Number("waited." + name) - waits.at(name).waited());
  }
  std::ranges::sort(known.excesses);
  return known;
}

}  // namespace

std::map<std::string, KnownWaits> KnownWaitsFixture::Compare(
    const std::string& threads, const std::vector<std::string>& kinds,
    const std::vector<std::string>& jvm_options) const {
  std::vector<std::string> program = {"KnownWaits", threads, std::to_string(kRounds),
                                      std::to_string(kThreads)};
  program.insert(program.end(), kinds.begin(), kinds.end());
  const ProcessResult run =
      RunProfiled("start,lock=100us,file=" + Path("out.jfr"), program, jvm_options);
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  const std::vector<Wait> waits = WaitsOf(ReadSound("out.jfr"));
  std::map<std::string, KnownWaits> known;
  for (const std::string& kind : kinds) {
    known[kind] = CompareKind(truth, LongestOf(waits, kind), kind);
    // On a busy machine a thread can arrive so late that it does not wait, or waits for another
    // owner.
    EXPECT_GE(known[kind].waits * 10, kRounds * kThreads * 9) << kind;
    EXPECT_LE(known[kind].wrong * 100, known[kind].owned + known[kind].woken)
        << kind << ": " << known[kind].errors;
  }
  return known;
}

}  // namespace jprof::test
