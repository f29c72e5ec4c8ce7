#include "profile/analysis/blockers.h"

#include <algorithm>
#include <vector>

namespace jprof {
namespace {

using OpenWait = Blockers::OpenWait;
// Identifies a thread among those of several recordings: the ids of threads are unique only within
// one JVM.
using ThreadOfRecording = std::pair<uint32_t, ThreadIdentity>;
using OpenWaits = std::map<ThreadOfRecording, const OpenWait*>;  // keyed by waiting thread

OpenWaits::const_iterator NextOf(const OpenWaits& waits, OpenWaits::const_iterator at) {
  return waits.find({at->first.first, at->second->blocker_id});
}

// Returns the circle that contains the wait `begin`. The first element is `begin`. REQUIRES:
// `begin` is in a circle.
std::vector<const OpenWait*> FindCircle(const OpenWaits& waits, OpenWaits::const_iterator begin) {
  std::vector<const OpenWait*> circle;
  auto at = begin;
  do {
    circle.push_back(at->second);
    at = NextOf(waits, at);
  } while (at != begin);
  return circle;
}

// True if there is a moment at which all threads of the circle waited. Without such a moment there
// is no deadlock: the threads waited at different times.
bool IsOfOneMoment(const std::vector<const OpenWait*>& circle) {
  profile::Interval common = circle.front()->interval;
  for (const OpenWait* wait : circle) {
    common = {std::max(common.from_ns, wait->interval.from_ns),
              std::min(common.to_ns, wait->interval.to_ns)};
  }
  return common.from_ns <= common.to_ns;
}

std::string CircleText(const std::vector<const OpenWait*>& circle) {
  std::string text = "deadlock: ";
  const std::string* waiting = &circle.back()->blocker;
  for (size_t i = 0; i < std::min(circle.size(), Blockers::kMostNamed); ++i) {
    text += (i == 0 ? "" : ", ") + *waiting + " waits for " + circle[i]->blocker;
    waiting = &circle[i]->blocker;
  }
  if (circle.size() > Blockers::kMostNamed) {
    text += ", and so on through " + std::to_string(circle.size()) + " threads";
  }
  return text;
}

}  // namespace

std::string PlaceShares::Longest() const {
  std::string longest;
  double most = 0;
  for (const auto& [place, time_ns] : times_) {
    if (place.empty() || time_ns <= most) continue;
    longest = place;
    most = time_ns;
  }
  return longest;
}

void Blockers::Add(const RecordedWait& wait) {
  if (wait.owner.empty()) return;
  const Pair pair{wait.owner, wait.owner_id, wait.thread, wait.lock_class};
  auto known = pairs_.find(pair);
  if (known == pairs_.end()) {
    if (pairs_.size() >= most_pairs_) {
      ++left_out_;
      return;
    }
    known = pairs_.emplace(pair, PairSum()).first;
  }
  known->second.Add(wait);
  if (!wait.is_unfinished || !wait.owner_id.is_known()) return;
  open_waits_.insert_or_assign({wait.recording, wait.thread},
                               OpenWait{wait.owner, wait.owner_id, wait.interval});
}

std::string Blockers::DeadlockText(const profile::Profile& profile) const {
  OpenWaits waits;
  for (const auto& [key, wait] : open_waits_) {
    const auto& [recording, number] = key;
    const profile::ProfileThread& thread = profile.threads()[number];
    const auto blocked = ThreadIdentity::Of(thread.java_id, thread.os_id);
    if (blocked.is_known()) waits.emplace(ThreadOfRecording(recording, blocked), &wait);
  }
  // A thread waits for at most one other thread, so each thread has at most one successor. A walk
  // starts at a thread and ends at the first thread that does not wait, or that an earlier walk or
  // this walk has visited. If this walk has visited it, there is a circle.
  std::map<ThreadOfRecording, size_t> walk_of;
  std::string text;
  size_t walk = 0;
  size_t others = 0;
  for (auto first = waits.cbegin(); first != waits.cend(); ++first) {
    ++walk;
    auto at = first;
    while (at != waits.end() && walk_of.emplace(at->first, walk).second) at = NextOf(waits, at);
    if (at == waits.end() || walk_of.at(at->first) != walk) continue;
    const std::vector<const OpenWait*> circle = FindCircle(waits, at);
    if (!IsOfOneMoment(circle)) continue;
    if (text.empty()) {
      text = CircleText(circle);
    } else {
      ++others;
    }
  }
  if (others != 0) text += "; and " + std::to_string(others) + " more deadlocks";
  return text;
}

}  // namespace jprof
