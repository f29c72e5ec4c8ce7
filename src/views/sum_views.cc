// The views `threads` and `states`, which sum samples of all kinds.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/placeholders.h"
#include "base/state_text.h"
#include "views/states_table.h"
#include "views/table_view.h"
#include "views/thread_states.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::Sample;
using profile::SampleKind;
using profile::Weigh;

// Sums samples by kind and by a key, such as the thread of the sample.
class KindSums {
 public:
  explicit KindSums(Weigh weigh) : weigh_(weigh) {}

  void Add(const Sample& sample, uint32_t key) {
    const uint64_t weight = weigh_ == Weigh::kSamples ? sample.samples : sample.value;
    KindSum& sum = by_key_[{sample.kind, key}];
    sum.value += weight;
    sum.variance += sample.variance;
    totals_[sample.kind] += weight;
  }

  struct KindSum {
    uint64_t value = 0;
    double variance = 0;

    Weight WeightAs(const SampleKind& kind) const {
      const auto weight = static_cast<double>(value);
      return {weight, kind.VarianceOf(weight, variance)};
    }
  };

  Weigh weigh() const { return weigh_; }
  const std::map<std::pair<uint32_t, uint32_t>, KindSum>& by_key() const { return by_key_; }

  KindSum Of(uint32_t kind, uint32_t key) const {
    const auto found = by_key_.find({kind, key});
    return found == by_key_.end() ? KindSum() : found->second;
  }
  bool HasErrors(const SampleKind& kind) const {
    return weigh_ == Weigh::kValue && kind.HasError();
  }
  double Total(uint32_t kind) const {
    const auto found = totals_.find(kind);
    return found == totals_.end() ? 0 : static_cast<double>(found->second);
  }

  // Returns the numbers of the kinds with samples, in order of preference.
  std::vector<uint32_t> Kinds(const Profile& profile) const {
    std::vector<uint32_t> kinds = profile.KindsInOrder();
    std::erase_if(kinds, [this](uint32_t kind) { return totals_.count(kind) == 0; });
    return kinds;
  }

 private:
  const Weigh weigh_;
  std::map<std::pair<uint32_t, uint32_t>, KindSum> by_key_;
  std::map<uint32_t, uint64_t> totals_;
};

std::string Selection(const FormatContext& context) {
  std::string text;
  for (const std::string& part : context.selection) text += (text.empty() ? "" : " ") + part;
  return text;
}

// SumView is the base class of both views. It sums samples by kind and by key_of(sample). It sets
// the title of the table, and the text that is shown if the table is empty.
class SumView : public TableView {
 public:
  SumView(const FormatOptions& options, uint32_t (*key_of)(const Sample& sample))
      : TableView(options.table), key_of_(key_of), sums_(options.total.value_or(Weigh::kValue)) {}

  void OnSample(const Sample& sample) override { sums_.Add(sample, key_of_(sample)); }
  profile::StackUse UseOfStacks() const override { return profile::StackUse::kNone; }

 protected:
  Result<Table> MakeTable(const Profile& profile, const FormatContext& context) override {
    Table table{.title = Selection(context)};
    table.if_empty = "There are no samples.";
    FillTable(profile, sums_, table);
    return table;
  }

  virtual void FillTable(const Profile& profile, const KindSums& sums, Table& table) const = 0;

 private:
  uint32_t (*const key_of_)(const Sample& sample);
  KindSums sums_;
};

class ThreadsView : public SumView {
 public:
  explicit ThreadsView(const FormatOptions& options)
      : SumView(options, [](const Sample& sample) { return sample.thread; }) {}

 protected:
  void FillTable(const Profile& profile, const KindSums& sums, Table& table) const override {
    const std::vector<uint32_t> kinds = sums.Kinds(profile);
    for (const uint32_t kind : kinds) {
      const SampleKind& row = profile.kinds[kind];
      AddWeightColumns(row.name, row.name, FormOf(row, sums.weigh()), sums.HasErrors(row), table);
    }
    table.columns.push_back({"id", "tid", ValueForm::kNumber});
    table.columns.push_back({"thread", "thread"});
    for (const uint32_t thread : Threads(kinds, sums)) {
      AddRow(profile, kinds, sums, thread, table);
    }
  }

 private:
  // Returns the threads in descending order of their sums of the first kind. Threads whose sums of
  // the first kind are equal are in descending order of their sums of the second kind, and so on.
  static std::vector<uint32_t> Threads(const std::vector<uint32_t>& kinds, const KindSums& sums) {
    std::set<uint32_t> all;
    for (const auto& [key, sum] : sums.by_key()) all.insert(key.second);
    std::vector<uint32_t> threads(all.begin(), all.end());
    std::ranges::stable_sort(threads, [&](uint32_t a, uint32_t b) {
      for (const uint32_t kind : kinds) {
        const uint64_t left = sums.Of(kind, a).value;
        const uint64_t right = sums.Of(kind, b).value;
        if (left != right) return left > right;
      }
      return false;
    });
    return threads;
  }

  static void AddRow(const Profile& profile, const std::vector<uint32_t>& kinds,
                     const KindSums& sums, uint32_t thread, Table& table) {
    std::vector<Cell> row;
    for (const uint32_t kind : kinds) {
      const SampleKind& kind_row = profile.kinds[kind];
      AddWeight(sums.Of(kind, thread).WeightAs(kind_row), sums.Total(kind),
                FormOf(kind_row, sums.weigh()), sums.HasErrors(kind_row), row);
    }
    const profile::ProfileThread& known = profile.threads()[thread];
    const bool has_id = known.id() != 0;
    row.push_back(has_id ? NumberCell(ValueForm::kNumber, static_cast<double>(known.id()))
                         : Cell());
    const std::string& name = profile.ThreadName(thread);
    row.push_back(TextCell(!name.empty()      ? name
                           : known.is_virtual ? std::string(Text(Placeholder::kVirtualThreads))
                                              : std::string(Text(Placeholder::kUnknownThread))));
    table.rows.push_back(std::move(row));
  }
};

class StatesView : public SumView {
 public:
  explicit StatesView(const FormatOptions& options)
      : SumView(options, [](const Sample& sample) -> uint32_t { return sample.state; }) {}

  void OnSample(const Sample& sample) override {
    SumView::OnSample(sample);
    lives_.OnSample(sample);
  }
  profile::StackUse UseOfStacks() const override { return profile::StackUse::kUntilForgotten; }
  profile::StackUse UseOfEventStacks() const override { return profile::StackUse::kNone; }
  void OnStacksForgotten(const Profile& profile) override { lives_.OnStacksForgotten(profile); }
  bool WantsEvents(const profile::RecordedType& type) override {
    return ThreadStates::IsWanted(type);
  }
  void OnEvent(const profile::ProfileEvent& event) override { lives_.OnEvent(event); }

 protected:
  // Shows sums of samples if the recording was limited to windows of time (--begin, --end), if the
  // user has selected a part of the recording by an option other than --thread, or if the recording
  // has no lifetimes of threads. Otherwise shows the lives of threads.
  Result<Table> MakeTable(const Profile& profile, const FormatContext& context) override {
    const bool are_whole =
        !profile.windows && std::ranges::all_of(context.selection, [](const std::string& part) {
          return part.starts_with("--thread");
        });
    if (!are_whole || !lives_.HasLifetimes()) return SumView::MakeTable(profile, context);
    std::vector<ThreadLife> lives = lives_.Lives(profile);
    if (context.selection.empty()) return StatesTable(profile, std::move(lives));
    // Omits the life of virtual threads, because it sums all of them, selected or not.
    std::erase_if(lives, [](const ThreadLife& life) { return life.is_virtual; });
    Table table = StatesTable(profile, std::move(lives));
    table.title += " " + Selection(context);
    return table;
  }

  void FillTable(const Profile& profile, const KindSums& sums, Table& table) const override {
    const std::vector<uint32_t> kinds = sums.Kinds(profile);
    const bool has_errors = std::ranges::any_of(
        kinds, [&](uint32_t kind) { return sums.HasErrors(profile.kinds[kind]); });
    table.columns = {{"event", "event"},
                     {"share", "share", ValueForm::kFraction},
                     {"total", "total", ValueForm::kNumber}};
    if (has_errors) table.columns.push_back({"totalError", "", ValueForm::kNumber});
    table.columns.push_back({"state", "state"});
    for (const uint32_t kind : kinds) {
      const size_t first = table.rows.size();
      for (const auto& [key, sum] : sums.by_key()) {
        if (key.first != kind) continue;
        const std::string& state = profile.states[key.second];
        const SampleKind& row = profile.kinds[kind];
        std::vector<Cell> cells = {TextCell(row.name)};
        Weight weight = sum.WeightAs(row);
        if (!sums.HasErrors(row)) weight.variance = profile::kNotKnown;
        AddWeight(weight, sums.Total(kind), FormOf(row, sums.weigh()), has_errors, cells);
        cells.push_back(TextCell(state.empty() ? "not recorded" : StateText(state)));
        table.rows.push_back(std::move(cells));
      }
      std::stable_sort(table.rows.begin() + static_cast<ptrdiff_t>(first), table.rows.end(),
                       [](const auto& a, const auto& b) { return a[1].number > b[1].number; });
    }
  }

 private:
  ThreadStates lives_;
};

}  // namespace

std::unique_ptr<FormatWriter> MakeThreadsView(const FormatOptions& options) {
  return std::make_unique<ThreadsView>(options);
}

std::unique_ptr<FormatWriter> MakeStatesView(const FormatOptions& options) {
  return std::make_unique<StatesView>(options);
}

}  // namespace jprof
