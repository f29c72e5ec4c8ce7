// The views `locks` and `blockers` sum waits for locks. The view `locks` has a row for each class
// of locks and each place of a wait. The view `blockers` has a row for each combination of a thread
// that held a lock, a thread that waited for the lock, and the class of the lock.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "profile/analysis/blockers.h"
#include "profile/analysis/recorded_wait.h"
#include "views/table_view.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::Sample;

constexpr size_t kNamesInRow = 3;

// Waiting time by thread or place; "" is an unknown one.
using Shares = std::map<std::string, double>;

// Returns the largest shares of `total`: "main 80.00 %, pool-1 15.00 %".
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

// The sum of the waits at one place. `owners` are the threads that held the lock, and `wakers` are
// the threads that ended the waits.
struct SiteSum {
  WaitSum sum = {};
  Shares owners = {};
  Shares wakers = {};
  Shares held_in = {};   // by RecordedWait::held_in
  Shares woken_in = {};  // by RecordedWait::woken_in

  void Add(const RecordedWait& wait) {
    sum.Add(wait);
    owners[wait.owner] += wait.stands_for_ns;
    wakers[wait.waker] += wait.stands_for_ns;
    held_in[wait.held_in] += wait.stands_for_ns;
    woken_in[wait.woken_in] += wait.stands_for_ns;
  }
  void Add(const SiteSum& other) {
    sum.Add(other.sum);
    for (const auto shares :
         {&SiteSum::owners, &SiteSum::wakers, &SiteSum::held_in, &SiteSum::woken_in}) {
      for (const auto& [name, time] : other.*shares) (this->*shares)[name] += time;
    }
  }
};

const std::vector<Column> kSumColumns = {{"total", "total wait", ValueForm::kDuration},
                                         {"error", "+-", ValueForm::kDuration},
                                         {"recorded", "recorded", ValueForm::kNumber},
                                         {"longest", "longest", ValueForm::kDuration},
                                         {"unfinished", "not ended", ValueForm::kNumber}};

std::vector<Cell> RowOf(const WaitSum& sum, const std::vector<std::string>& texts) {
  std::vector<Cell> row = {
      NumberCell(ValueForm::kDuration, sum.time_ns),
      NumberCell(ValueForm::kDuration, 2 * std::sqrt(std::max(sum.variance, 0.0))),
      NumberCell(ValueForm::kNumber, static_cast<double>(sum.recorded)),
      NumberCell(ValueForm::kDuration, sum.longest_ns),
      NumberCell(ValueForm::kNumber, static_cast<double>(sum.unfinished))};
  for (const std::string& text : texts) row.push_back(TextCell(text));
  return row;
}

class WaitsView : public TableView {
 public:
  explicit WaitsView(const FormatOptions& options) : TableView(options.table) {}

  void OnSample(const Sample&) override {}
  profile::StackUse UseOfStacks() const override { return profile::StackUse::kNone; }
  bool WantsEvents(const profile::RecordedType& type) override { return IsOfWait(type); }
  void OnEvent(const profile::ProfileEvent& event) override { Add(WaitOf(event)); }

 protected:
  virtual void Add(const RecordedWait& wait) {
    ++count_;
    blockers_.Add(wait);
  }

  const Blockers& blockers() const { return blockers_; }

  static Table TableWith(std::vector<Column> texts) {
    Table table;
    table.columns = kSumColumns;
    std::ranges::move(texts, std::back_inserter(table.columns));
    return table;
  }

  // Sorts the rows by waiting time, and adds the title and the text of an empty table.
  Table Finished(const Profile& profile, Table table) const {
    table.title = std::to_string(count_) + " recorded waits";
    const std::string deadlock = blockers_.DeadlockText(profile);
    if (!deadlock.empty()) table.title += "; " + deadlock;
    table.if_empty = TextIfEmpty(profile);
    std::ranges::stable_sort(
        table.rows, [](const auto& a, const auto& b) { return a[0].number > b[0].number; });
    return table;
  }

 private:
  std::string TextIfEmpty(const Profile& profile) const {
    if (count_ != 0) return "No owner of a lock is known; view locks shows the waits.";
    const bool is_recorded = std::ranges::any_of(profile.kinds, [](const auto& kind) {
      return kind.request != 0 && (kind.name == "lock" || kind.name == "nativelock");
    });
    return is_recorded ? "There are none: no thread has waited for a lock long enough."
                       : "There are none: record with --event lock or nativelock.";
  }

  uint64_t count_ = 0;
  Blockers blockers_;
};

class LocksView : public WaitsView {
 public:
  using WaitsView::WaitsView;

  profile::StackUse UseOfEventStacks() const override { return profile::StackUse::kToTheEnd; }

 protected:
  Result<Table> MakeTable(const Profile& profile, const FormatContext&) override {
    std::map<std::array<std::string, 3>, SiteSum> sums;
    for (const auto& [key, sum] : sums_) {
      const auto& [kind, lock_class, stack] = key;
      sums[{kind, lock_class, WaitSiteText(profile, stack)}].Add(sum);
    }
    Table table = TableWith({{"kind", "wait"},
                             {"lockClass", "lock", ValueForm::kText, Cut::kFront},
                             {"site", "in", ValueForm::kText, Cut::kFront},
                             {"owners", "held by"},
                             {"wakers", "woken by"},
                             {"holders", "held by, and in"},
                             {"wakerSites", "woken in", ValueForm::kText, Cut::kEnd, true}});
    for (const auto& [key, site] : sums) {
      const auto& [kind, lock_class, place] = key;
      const double total = site.sum.time_ns;
      table.rows.push_back(RowOf(
          site.sum,
          {kind, lock_class, place, SharesText(site.owners, total), SharesText(site.wakers, total),
           SharesText(site.held_in, total), SharesText(site.woken_in, total)}));
    }
    return Finished(profile, std::move(table));
  }

 private:
  void Add(const RecordedWait& wait) override {
    WaitsView::Add(wait);
    sums_[{NameOf(wait.type), wait.lock_class, wait.stack}].Add(wait);
  }

  // Keyed by kind of wait, class of the lock and stack.
  std::map<std::tuple<std::string, std::string, uint32_t>, SiteSum> sums_;
};

class BlockersView : public WaitsView {
 public:
  using WaitsView::WaitsView;

 protected:
  Result<Table> MakeTable(const Profile& profile, const FormatContext&) override {
    Table table = TableWith({{"blocker", "blocker"},
                             {"blocked", "blocked"},
                             {"lockClass", "lock", ValueForm::kText, Cut::kFront},
                             {"holders", "held by, and in"}});
    for (const auto& [pair, sum] : blockers().pairs()) {
      table.rows.push_back(
          RowOf(sum, {pair.blocker, profile.ThreadText(pair.blocked), pair.lock_class,
                      SharesText(sum.held_in.times(), sum.time_ns)}));
    }
    return Finished(profile, std::move(table));
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
