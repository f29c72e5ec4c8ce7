// The views `hot`, `methods` and `tree`. They show the stacks of one kind of samples.
#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/text_sums.h"
#include "profile/sample_table.h"
#include "views/table_view.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::SampleTable;
using profile::Weigh;

class StackView : public TableView {
 public:
  explicit StackView(const FormatOptions& options)
      : TableView(options.table),
        weigh_(options.total.value_or(Weigh::kValue)),
        samples_(weigh_, SampleTable::Slices::kOne) {}

  void OnBegin(int64_t time_ns) final { samples_.OnBegin(time_ns); }
  void OnSample(const profile::Sample& sample) final { samples_.OnSample(sample); }
  profile::StackUse UseOfEventStacks() const final { return profile::StackUse::kNone; }

 protected:
  Result<Table> MakeTable(const Profile& profile, const FormatContext& context) final {
    samples_.Finish();
    Table table{.title = TitleOf(profile, context)};
    table.if_empty = "There are no samples.";
    if (!context.kind) return table;
    const ValueForm form = FormOf(profile.kinds[*context.kind], weigh_);
    FillTable(profile, *context.kind, form, table);
    return table;
  }

  virtual void FillTable(const Profile& profile, uint32_t kind, ValueForm form, Table& table) = 0;

  SampleTable& samples() { return samples_; }

 private:
  const Weigh weigh_;
  SampleTable samples_;
};

// The views `hot` and `methods`. The view `hot` orders methods by self weight. The view `methods`
// orders them by total weight: their own weight and that of the methods that they called.
class MethodsView : public StackView {
 public:
  MethodsView(const FormatOptions& options, uint64_t MethodSum::*order)
      : StackView(options), order_(order) {}

  profile::StackUse UseOfStacks() const override { return profile::StackUse::kUntilForgotten; }
  void OnStacksForgotten(const Profile& profile) override {
    samples().Finish();
    sums_.Add(profile, samples());
    samples().Clear();
  }

 protected:
  void FillTable(const Profile& profile, uint32_t kind, ValueForm form, Table& table) override {
    sums_.Add(profile, samples());
    const bool has_errors = samples().HasErrors(profile.kinds[kind]);
    AddWeightColumns("self", "self", form, has_errors, table);
    AddWeightColumns("total", "total", form, has_errors, table);
    table.columns.push_back({"method", "method", ValueForm::kText, Cut::kFront});
    const MethodSums::OfKind sums = sums_.Of(profile.kinds[kind], kind);
    std::vector<const std::pair<const std::string, MethodSum>*> methods;
    for (const auto& method : sums.methods) {
      if (method.second.*order_ != 0) methods.push_back(&method);
    }
    // The sort is stable, so equal methods stay in alphabetical order.
    std::ranges::stable_sort(methods, [this](const auto* a, const auto* b) {
      return a->second.*order_ > b->second.*order_;
    });
    const auto all = static_cast<double>(sums.all);
    for (const auto* method : methods) {
      const auto& [text, sum] = *method;
      std::vector<Cell> row;
      AddWeight({static_cast<double>(sum.self), sum.self_variance}, all, form, has_errors, row);
      AddWeight({static_cast<double>(sum.total), sum.total_variance}, all, form, has_errors, row);
      row.push_back(TextCell(text));
      table.rows.push_back(std::move(row));
    }
  }

 private:
  uint64_t MethodSum::*const order_;
  MethodSums sums_;
};

// The view `tree` shows the heaviest nodes of the call tree, as many as the limit of rows allows.
class TreeView : public StackView {
 public:
  using StackView::StackView;

 protected:
  void FillTable(const Profile& profile, uint32_t kind, ValueForm form, Table& table) override {
    const FrameSums frames(profile, samples(), kind);
    AddWeightColumns("total", "total", form, frames.has_errors, table);
    table.columns.push_back({"self", "self", form});
    if (frames.has_errors) table.columns.push_back({"selfError", "", form});
    table.columns.push_back({"depth", "", ValueForm::kNumber, Cut::kEnd, true});
    table.columns.push_back({"frame", "frame"});
    const MergedTree& tree = frames.tree.nodes;
    const HeaviestChildren children(frames, Heaviest(frames, table));
    // The nodes that are still to be shown, and their depths. The last one is shown next.
    std::vector<std::pair<uint32_t, size_t>> rest = {{0, 0}};
    const auto all = static_cast<double>(frames.nodes.total[0]);
    while (!rest.empty()) {
      const auto [node, depth] = rest.back();
      rest.pop_back();
      const std::span<const uint32_t> below = children.Of(node);
      for (size_t i = below.size(); i-- > 0;) rest.emplace_back(below[i], depth + 1);
      if (node == 0) continue;
      const auto self = static_cast<double>(frames.nodes.self[node]);
      std::vector<Cell> row;
      AddWeight({static_cast<double>(frames.nodes.total[node]), frames.TotalVariance(node)}, all,
                form, frames.has_errors, row);
      row.push_back(NumberCell(form, self));
      if (frames.has_errors) row.push_back(ErrorCell(self, frames.SelfVariance(node)));
      row.push_back(NumberCell(ValueForm::kNumber, static_cast<double>(depth)));
      row.push_back(TextCell(frames.tree.texts[tree.label[node]], depth - 1));
      table.rows.push_back(std::move(row));
    }
  }

 private:
  // Marks the heaviest nodes, as many as the limit allows. Returns an empty list if the limit
  // allows all nodes. Among nodes of equal weight, marks the first ones in preorder. The parent of
  // a marked node is marked, too, because a parent is at least as heavy as its child and comes
  // first.
  std::vector<bool> Heaviest(const FrameSums& frames, Table& table) const {
    const std::vector<uint64_t>& totals = frames.nodes.total;
    std::vector<uint32_t> nodes;
    for (uint32_t node = 1; node < totals.size(); ++node) {
      if (totals[node] != 0) nodes.push_back(node);
    }
    if (options().limit == 0 || nodes.size() <= options().limit) return {};
    const auto limit = nodes.begin() + static_cast<ptrdiff_t>(options().limit);
    std::nth_element(nodes.begin(), limit, nodes.end(), [&totals](uint32_t a, uint32_t b) {
      return totals[a] != totals[b] ? totals[a] > totals[b] : a < b;
    });
    table.left_out = nodes.size() - options().limit;
    std::vector<bool> is_chosen(totals.size());
    for (auto node = nodes.begin(); node != limit; ++node) is_chosen[*node] = true;
    return is_chosen;
  }
};

}  // namespace

std::unique_ptr<FormatWriter> MakeHotView(const FormatOptions& options) {
  return std::make_unique<MethodsView>(options, &MethodSum::self);
}

std::unique_ptr<FormatWriter> MakeMethodsView(const FormatOptions& options) {
  return std::make_unique<MethodsView>(options, &MethodSum::total);
}

std::unique_ptr<FormatWriter> MakeTreeView(const FormatOptions& options) {
  return std::make_unique<TreeView>(options);
}

}  // namespace jprof
