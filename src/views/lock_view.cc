// The views of waits for locks: locks, by class and place, and blockers, by the thread that held
// the lock and the thread that waited.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "views/lock_waits.h"
#include "views/table_view.h"
#include "views/view_makers.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::Sample;

constexpr size_t kNamesInRow = 3;

using Shares = std::map<std::string, double>;  // waiting time by thread; empty name: not known

// "main 80 %, pool-1 15 %", of `total`.
std::string SharesText(const Shares& shares, double total) {
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto& [name, time] : shares) {
    if (!name.empty()) sorted.emplace_back(time, name);
  }
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::string text;
  for (size_t i = 0; i < std::min(sorted.size(), kNamesInRow); ++i) {
    text += (i == 0 ? "" : ", ") + sorted[i].second + ' ' +
            profile::TextOf(profile::ValueForm::kFraction, sorted[i].first / total);
  }
  if (sorted.size() > kNamesInRow) {
    text += ", and " + std::to_string(sorted.size() - kNamesInRow) + " more";
  }
  return text;
}

// Threads, by the thread that each waits for without end.
using WaitsFor = std::map<std::string, std::string>;

// "deadlock: a waits for b, b waits for a"; empty: there is none.
std::string DeadlockText(const WaitsFor& waits_for) {
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

struct Sum {
  double time_ns = 0;
  double variance = 0;
  double recorded = 0;
  double longest_ns = 0;
  double unfinished = 0;
  Shares owners = {};
  Shares wakers = {};

  void Add(const LockWait& wait) {
    time_ns += wait.stands_for_ns;
    variance += wait.variance();
    ++recorded;
    longest_ns = std::max(longest_ns, wait.waited_ns);
    unfinished += wait.is_unfinished ? 1 : 0;
    owners[wait.owner] += wait.stands_for_ns;
    wakers[wait.waker] += wait.stands_for_ns;
  }
};

class WaitsView : public TableView {
 public:
  explicit WaitsView(const FormatOptions& options) : TableView(options.table) {}

  void OnSample(const Sample&) override {}
  bool WantsEvents(const profile::JfrType& type) override { return LockWaits::IsOfWait(type); }
  void OnEvent(const profile::ProfileEvent& event) override { waits_.OnEvent(event); }

 protected:
  using SumsByTexts = std::map<std::array<std::string, 3>, Sum>;

  // A row for each of the sums, in their order: its numbers, then the texts, whose columns are
  // `texts`.
  static Table TableOf(const SumsByTexts& sums, const std::vector<Column>& texts) {
    Table table;
    table.columns = {{"total", "total wait", ValueForm::kDuration},
                     {"error", "+-", ValueForm::kDuration},
                     {"recorded", "recorded", ValueForm::kNumber},
                     {"longest", "longest", ValueForm::kDuration},
                     {"unfinished", "not ended", ValueForm::kNumber}};
    table.columns.insert(table.columns.end(), texts.begin(), texts.end());
    for (const auto& [key, sum] : sums) {
      std::vector<Cell> row = {
          NumberCell(ValueForm::kDuration, sum.time_ns),
          NumberCell(ValueForm::kDuration, 2 * std::sqrt(std::max(sum.variance, 0.0))),
          NumberCell(ValueForm::kNumber, sum.recorded),
          NumberCell(ValueForm::kDuration, sum.longest_ns),
          NumberCell(ValueForm::kNumber, sum.unfinished)};
      for (const std::string& text : key) row.push_back(TextCell(text));
      table.rows.push_back(std::move(row));
    }
    return table;
  }

  // The heaviest first, with what is said of all of them.
  Table Finished(const Profile& profile, Table table) const {
    WaitsFor waits_for;
    for (const LockWait& wait : waits_.all()) {
      if (!wait.is_unfinished || wait.owner.empty()) continue;
      waits_for[WaitingThreadText(profile, wait.thread)] = wait.owner;
    }
    table.title = std::to_string(waits_.all().size()) + " recorded waits";
    const std::string deadlock = DeadlockText(waits_for);
    if (!deadlock.empty()) table.title += "; " + deadlock;
    table.if_empty = "There are none: record with --event lock or nativelock.";
    std::ranges::stable_sort(
        table.rows, [](const auto& a, const auto& b) { return a[0].number > b[0].number; });
    return table;
  }

  LockWaits waits_;
};

class LocksView : public WaitsView {
 public:
  using WaitsView::WaitsView;

 protected:
  Result<Table> MakeTable(const Profile& profile, const FormatContext&) override {
    SumsByTexts sums;
    for (const LockWait& wait : waits_.all()) {
      sums[{wait.kind, wait.lock_class, WaitSiteText(profile, wait.stack)}].Add(wait);
    }
    Table table = TableOf(sums, {{"kind", "wait"},
                                 {"lockClass", "lock", ValueForm::kText, Cut::kFront},
                                 {"site", "in", ValueForm::kText, Cut::kFront}});
    table.columns.push_back({"owners", "held by"});
    table.columns.push_back({"wakers", "woken by"});
    size_t row = 0;
    for (const auto& [key, sum] : sums) {
      table.rows[row].push_back(TextCell(SharesText(sum.owners, sum.time_ns)));
      table.rows[row++].push_back(TextCell(SharesText(sum.wakers, sum.time_ns)));
    }
    return Finished(profile, std::move(table));
  }
};

class BlockersView : public WaitsView {
 public:
  using WaitsView::WaitsView;

 protected:
  // Without an owner nobody is a blocker: who waits for work is woken, not blocked.
  Result<Table> MakeTable(const Profile& profile, const FormatContext&) override {
    SumsByTexts sums;
    for (const LockWait& wait : waits_.all()) {
      if (wait.owner.empty()) continue;
      sums[{wait.owner, WaitingThreadText(profile, wait.thread), wait.lock_class}].Add(wait);
    }
    return Finished(profile, TableOf(sums, {{"blocker", "blocker"},
                                            {"blocked", "blocked"},
                                            {"lockClass", "lock", ValueForm::kText, Cut::kFront}}));
  }
};

}  // namespace

std::unique_ptr<FormatWriter> MakeLocksView(const FormatOptions& options) {
  return std::make_unique<LocksView>(options);
}

std::unique_ptr<FormatWriter> MakeBlockersView(const FormatOptions& options) {
  return std::make_unique<BlockersView>(options);
}

}  // namespace jprof
