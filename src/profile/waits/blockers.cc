#include "profile/waits/blockers.h"

#include <algorithm>
#include <vector>

namespace jprof {
namespace {

using Pairs = std::map<Blockers::Pair, WaitSum>;
using WaitOfThread = std::map<ThreadIdentity, const Blockers::Pair*>;

// Waits that went on at the end, by the thread that waits.
WaitOfThread UnfinishedWaits(const Pairs& pairs, const profile::Profile& profile) {
  WaitOfThread waits;
  for (const auto& [pair, sum] : pairs) {
    if (sum.unfinished == 0) continue;
    const profile::ProfileThread& thread = profile.threads()[pair.blocked];
    const auto blocked = ThreadIdentity::Of(thread.java_id, thread.os_id);
    if (blocked.is_known() && pair.blocker_id.is_known()) waits.emplace(blocked, &pair);
  }
  return waits;
}

// Of the circle that `begin` is in.
std::string CircleText(const WaitOfThread& waits, WaitOfThread::const_iterator begin) {
  std::vector<const std::string*> blockers;  // the last one is `begin`
  auto at = begin;
  do {
    blockers.push_back(&at->second->blocker);
    at = waits.find(at->second->blocker_id);
  } while (at != begin);
  std::string text = "deadlock: ";
  const std::string* waiting = blockers.back();
  for (size_t i = 0; i < std::min(blockers.size(), Blockers::kMostNamed); ++i) {
    text += (i == 0 ? "" : ", ") + *waiting + " waits for " + *blockers[i];
    waiting = blockers[i];
  }
  if (blockers.size() > Blockers::kMostNamed) {
    text += ", and so on through " + std::to_string(blockers.size()) + " threads";
  }
  return text;
}

}  // namespace

void Blockers::Add(const RecordedWait& wait) {
  if (wait.owner.empty()) return;
  const Pair pair{wait.owner, wait.owner_id, wait.thread, wait.lock_class};
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
  const WaitOfThread waits = UnfinishedWaits(pairs_, profile);
  // A thread waits for one other, so a walk from each ends at a thread that does not wait, in the
  // trace of an earlier walk, or in its own: a circle.
  std::map<ThreadIdentity, size_t> walk_of;
  std::string text;
  size_t walk = 0;
  size_t others = 0;
  for (const auto& [first, pair] : waits) {
    ++walk;
    auto at = waits.find(first);
    while (at != waits.end() && walk_of.emplace(at->first, walk).second) {
      at = waits.find(at->second->blocker_id);
    }
    if (at == waits.end() || walk_of.at(at->first) != walk) continue;
    if (text.empty()) {
      text = CircleText(waits, at);
    } else {
      ++others;
    }
  }
  if (others != 0) text += "; and " + std::to_string(others) + " more deadlocks";
  return text;
}

}  // namespace jprof
