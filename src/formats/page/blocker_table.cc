#include "formats/page/blocker_table.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "formats/page/event_tables.h"
#include "formats/page/table_columns.h"

namespace jprof {
namespace {

using Row = std::pair<const Blockers::Pair, WaitSum>;

// The longest waits first.
std::vector<const Row*> InOrder(const Blockers& blockers) {
  std::vector<const Row*> order;
  for (const Row& pair : blockers.pairs()) order.push_back(&pair);
  std::ranges::stable_sort(
      order, [](const Row* a, const Row* b) { return a->second.time_ns > b->second.time_ns; });
  order.resize(std::min(order.size(), EventTables::kMaxRows));
  return order;
}

}  // namespace

// Names come from the recording, and a pair has copies of them.
void BlockerTable::OnEvent(const profile::ProfileEvent& event) {
  RecordedWait wait = WaitOf(event);
  wait.owner = EventTables::Shortened(std::move(wait.owner));
  wait.lock_class = EventTables::Shortened(std::move(wait.lock_class));
  blockers_.Add(wait);
}

void BlockerTable::Write(const profile::Profile& profile, JsonWriter& json) {
  if (blockers_.pairs().empty()) return;
  NumberColumn times(PageUnit::kNanos), errors(PageUnit::kNanos), longest(PageUnit::kNanos);
  NumberColumn recorded(PageUnit::kNumber), unfinished(PageUnit::kNumber);
  TextColumn owners, waiting, locks;
  for (const Row* row : InOrder(blockers_)) {
    const auto& [pair, sum] = *row;
    times.Add(sum.time_ns);
    errors.Add(std::sqrt(std::max(sum.variance, 0.0)));
    recorded.Add(static_cast<double>(sum.recorded));
    longest.Add(sum.longest_ns);
    unfinished.Add(static_cast<double>(sum.unfinished));
    owners.Add(pair.blocker);
    waiting.Add(EventTables::Shortened(profile.ThreadText(pair.blocked)));
    pair.lock_class.empty() ? locks.AddNone() : locks.Add(pair.lock_class);
  }
  json.BeginObject();
  json.Text("name", "blockers");
  json.Text("label", "Who waited for whom");
  json.Number("count", blockers_.pairs().size());
  json.BeginArray("fields");
  times.Write("total", "Total Wait", json);
  errors.Write("totalError", "± Total Wait", json);
  recorded.Write("recorded", "Recorded", json);
  longest.Write("longest", "Longest", json);
  unfinished.Write("unfinished", "Not Ended", json);
  owners.Write("blocker", "Blocker", json);
  waiting.Write("blocked", "Blocked", json);
  locks.Write("lockClass", "Lock", json);
  json.EndArray();
  json.EndObject();
}

std::string BlockerTable::NoteOf(const profile::Profile& profile) const {
  std::string note = blockers_.DeadlockText(profile);
  if (blockers_.left_out() != 0) {
    note += (note.empty() ? "" : "; ") + std::to_string(blockers_.left_out()) +
            " waits of more than " + std::to_string(kMostPairs) + " pairs of threads are left out";
  }
  return note;
}

}  // namespace jprof
