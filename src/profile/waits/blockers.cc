#include "profile/waits/blockers.h"

namespace jprof {

void Blockers::Add(const RecordedWait& wait) {
  if (wait.owner.empty()) return;
  const Pair pair{wait.owner, wait.thread, wait.lock_class};
  auto known = pairs_.find(pair);
  if (known == pairs_.end()) {
    if (pairs_.size() >= most_pairs_) {
      ++left_out_;
      return;
    }
    known = pairs_.emplace(pair, WaitSum()).first;
  }
  known->second.Add(wait);
}

std::string Blockers::DeadlockText(const profile::Profile& profile) const {
  // Threads, by the thread that each waits for without end.
  std::map<std::string, std::string> waits_for;
  for (const auto& [pair, sum] : pairs_) {
    if (sum.unfinished != 0) waits_for[WaitingThreadText(profile, pair.blocked)] = pair.blocker;
  }
  for (const auto& [first, owner] : waits_for) {
    std::string text = first + " waits for " + owner;
    std::string at = owner;
    for (size_t steps = 0; steps < waits_for.size() && at != first; ++steps) {
      const auto next = waits_for.find(at);
      if (next == waits_for.end()) break;
      text += ", " + at + " waits for " + next->second;
      at = next->second;
    }
    if (at == first) return "deadlock: " + text;
  }
  return "";
}

}  // namespace jprof
