// The views that add up samples of all kinds: threads, states and losses.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "views/table_view.h"
#include "views/view_makers.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::Sample;
using profile::SampleKind;
using profile::Weigh;

// Sums of samples by kind and something else.
class KindSums {
 public:
  explicit KindSums(Weigh weigh) : weigh_(weigh) {}

  void Add(const Sample& sample, uint32_t key) {
    const uint64_t weight = weigh_ == Weigh::kSamples ? sample.samples : sample.value;
    by_key_[{sample.kind, key}] += weight;
    totals_[sample.kind] += weight;
  }

  Weigh weigh() const { return weigh_; }
  const std::map<std::pair<uint32_t, uint32_t>, uint64_t>& by_key() const { return by_key_; }

  double Of(uint32_t kind, uint32_t key) const {
    const auto found = by_key_.find({kind, key});
    return found == by_key_.end() ? 0 : static_cast<double>(found->second);
  }
  double Total(uint32_t kind) const {
    const auto found = totals_.find(kind);
    return found == totals_.end() ? 0 : static_cast<double>(found->second);
  }

  // Numbers of the kinds with samples, in order of preference.
  std::vector<uint32_t> Kinds(const Profile& profile) const {
    std::vector<uint32_t> kinds = profile.KindsInOrder();
    std::erase_if(kinds, [this](uint32_t kind) { return totals_.count(kind) == 0; });
    return kinds;
  }

 private:
  const Weigh weigh_;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> by_key_;
  std::map<uint32_t, uint64_t> totals_;
};

std::string Selection(const FormatContext& context) {
  std::string text;
  for (const std::string& part : context.selection) text += (text.empty() ? "" : " ") + part;
  return text;
}

class ThreadsView : public TableView {
 public:
  explicit ThreadsView(const FormatOptions& options)
      : TableView(options.table), sums_(options.total.value_or(Weigh::kValue)) {}

  void OnSample(const Sample& sample) override { sums_.Add(sample, sample.thread); }

 protected:
  Result<Table> MakeTable(const Profile& profile, const FormatContext& context) override {
    Table table{.title = Selection(context)};
    table.if_empty = "There are no samples.";
    const std::vector<uint32_t> kinds = sums_.Kinds(profile);
    for (const uint32_t kind : kinds) {
      const SampleKind& row = profile.kinds[kind];
      table.columns.push_back({row.name + "Share", row.name, ValueForm::kFraction});
      table.columns.push_back({row.name, "", FormOf(row, sums_.weigh())});
    }
    table.columns.push_back({"id", "tid", ValueForm::kNumber});
    table.columns.push_back({"thread", "thread"});
    for (const uint32_t thread : Threads(kinds)) AddRow(profile, kinds, thread, table);
    return table;
  }

 private:
  // Ordered by the first kind, then by the next.
  std::vector<uint32_t> Threads(const std::vector<uint32_t>& kinds) const {
    std::set<uint32_t> all;
    for (const auto& [key, sum] : sums_.by_key()) all.insert(key.second);
    std::vector<uint32_t> threads(all.begin(), all.end());
    std::ranges::stable_sort(threads, [&](uint32_t a, uint32_t b) {
      for (const uint32_t kind : kinds) {
        if (sums_.Of(kind, a) != sums_.Of(kind, b)) return sums_.Of(kind, a) > sums_.Of(kind, b);
      }
      return false;
    });
    return threads;
  }

  void AddRow(const Profile& profile, const std::vector<uint32_t>& kinds, uint32_t thread,
              Table& table) const {
    std::vector<Cell> row;
    for (const uint32_t kind : kinds) {
      const double sum = sums_.Of(kind, thread);
      row.push_back(ShareCell(sum, sums_.Total(kind)));
      row.push_back(NumberCell(FormOf(profile.kinds[kind], sums_.weigh()), sum));
    }
    const profile::ProfileThread& known = profile.threads()[thread];
    row.push_back(NumberCell(ValueForm::kNumber, static_cast<double>(known.id())));
    const std::string& name = profile.ThreadName(thread);
    row.push_back(TextCell(!name.empty() ? name : known.is_virtual ? "[virtual threads]" : ""));
    table.rows.push_back(std::move(row));
  }

  KindSums sums_;
};

class StatesView : public TableView {
 public:
  explicit StatesView(const FormatOptions& options)
      : TableView(options.table), sums_(options.total.value_or(Weigh::kValue)) {}

  void OnSample(const Sample& sample) override { sums_.Add(sample, sample.state); }

 protected:
  Result<Table> MakeTable(const Profile& profile, const FormatContext& context) override {
    Table table{.title = Selection(context)};
    table.if_empty = "There are no samples.";
    table.columns = {{"event", "event"},
                     {"share", "share", ValueForm::kFraction},
                     {"total", "total", ValueForm::kNumber},
                     {"state", "state"}};
    for (const uint32_t kind : sums_.Kinds(profile)) {
      const size_t first = table.rows.size();
      for (const auto& [key, sum] : sums_.by_key()) {
        if (key.first != kind) continue;
        const std::string& state = profile.states[key.second];
        const SampleKind& row = profile.kinds[kind];
        table.rows.push_back({TextCell(row.name),
                              ShareCell(static_cast<double>(sum), sums_.Total(kind)),
                              NumberCell(FormOf(row, sums_.weigh()), static_cast<double>(sum)),
                              TextCell(state.empty() ? "not recorded" : state)});
      }
      std::stable_sort(table.rows.begin() + static_cast<ptrdiff_t>(first), table.rows.end(),
                       [](const auto& a, const auto& b) { return a[1].number > b[1].number; });
    }
    return table;
  }

 private:
  KindSums sums_;
};

}  // namespace

std::unique_ptr<FormatWriter> MakeThreadsView(const FormatOptions& options) {
  return std::make_unique<ThreadsView>(options);
}

std::unique_ptr<FormatWriter> MakeStatesView(const FormatOptions& options) {
  return std::make_unique<StatesView>(options);
}

}  // namespace jprof
