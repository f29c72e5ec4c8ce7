// The views of stacks of one kind: hot, methods and tree.
#include <algorithm>
#include <string>
#include <vector>

#include "formats/text/frame_sums.h"
#include "profile/sample_table.h"
#include "views/table_view.h"
#include "views/view_makers.h"

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

 protected:
  Result<Table> MakeTable(const Profile& profile, const FormatContext& context) final {
    samples_.Finish();
    Table table{.title = TitleOf(profile, context)};
    table.if_empty = "There are no samples.";
    if (!context.kind) return table;
    const ValueForm form = FormOf(profile.kinds[*context.kind], weigh_);
    FillTable(FrameSums(profile, samples_, *context.kind), form, table);
    return table;
  }

  virtual void FillTable(const FrameSums& frames, ValueForm form, Table& table) const = 0;

 private:
  const Weigh weigh_;
  SampleTable samples_;
};

// Methods by what they did themselves (hot), or with what they called (methods).
class MethodsView : public StackView {
 public:
  MethodsView(const FormatOptions& options, uint64_t MethodSum::*order)
      : StackView(options), order_(order) {}

 protected:
  void FillTable(const FrameSums& frames, ValueForm form, Table& table) const override {
    AddWeightColumns("self", "self", form, frames.has_errors, table);
    AddWeightColumns("total", "total", form, frames.has_errors, table);
    table.columns.push_back({"method", "method", ValueForm::kText, Cut::kFront});
    const std::vector<MethodSum> sums = MethodSumsOf(frames);
    std::vector<size_t> labels;
    for (size_t label = 0; label < sums.size(); ++label) {
      if (sums[label].*order_ != 0) labels.push_back(label);
    }
    std::ranges::sort(labels, [&](size_t a, size_t b) {
      if (sums[a].*order_ != sums[b].*order_) return sums[a].*order_ > sums[b].*order_;
      return frames.texts[a] < frames.texts[b];
    });
    const auto all = static_cast<double>(frames.total[0]);
    for (const size_t label : labels) {
      const MethodSum& sum = sums[label];
      std::vector<Cell> row;
      AddWeight({static_cast<double>(sum.self), sum.self_variance}, all, form, frames.has_errors,
                row);
      AddWeight({static_cast<double>(sum.total), sum.total_variance}, all, form, frames.has_errors,
                row);
      row.push_back(TextCell(frames.texts[label]));
      table.rows.push_back(std::move(row));
    }
  }

 private:
  uint64_t MethodSum::*const order_;
};

// The heaviest callers and their callees, as many as the limit allows.
class TreeView : public StackView {
 public:
  using StackView::StackView;

 protected:
  void FillTable(const FrameSums& frames, ValueForm form, Table& table) const override {
    AddWeightColumns("total", "total", form, frames.has_errors, table);
    table.columns.push_back({"self", "self", form});
    if (frames.has_errors) table.columns.push_back({"selfError", "", form});
    table.columns.push_back({"depth", "", ValueForm::kNumber, Cut::kEnd, true});
    table.columns.push_back({"frame", "frame"});
    const MergedTree& tree = frames.tree;
    const std::vector<bool> is_shown = Heaviest(frames, table);
    const std::vector<std::vector<size_t>> children = ChildrenOf(frames, is_shown);
    std::vector<std::pair<size_t, size_t>> rest = {{0, 0}};  // node and depth, the next one last
    const auto all = static_cast<double>(frames.total[0]);
    while (!rest.empty()) {
      const auto [node, depth] = rest.back();
      rest.pop_back();
      for (size_t i = children[node].size(); i-- > 0;) {
        rest.emplace_back(children[node][i], depth + 1);
      }
      if (node == 0) continue;
      const auto self = static_cast<double>(frames.self[node]);
      std::vector<Cell> row;
      AddWeight({static_cast<double>(frames.total[node]), frames.TotalVariance(node)}, all, form,
                frames.has_errors, row);
      row.push_back(NumberCell(form, self));
      if (frames.has_errors) row.push_back(ErrorCell(self, frames.SelfVariance(node)));
      row.push_back(NumberCell(ValueForm::kNumber, static_cast<double>(depth)));
      row.push_back(TextCell(frames.texts[tree.label[node]], depth - 1));
      table.rows.push_back(std::move(row));
    }
  }

 private:
  // A node is never heavier than its parent, so that what is chosen hangs together: of equals the
  // first in preorder is taken.
  std::vector<bool> Heaviest(const FrameSums& frames, Table& table) const {
    std::vector<size_t> nodes;
    for (size_t node = 1; node < frames.tree.size(); ++node) {
      if (frames.total[node] != 0) nodes.push_back(node);
    }
    std::ranges::stable_sort(nodes,
                             [&](size_t a, size_t b) { return frames.total[a] > frames.total[b]; });
    if (options().limit != 0 && nodes.size() > options().limit) {
      table.left_out = nodes.size() - options().limit;
      nodes.resize(options().limit);
    }
    std::vector<bool> is_chosen(frames.tree.size());
    for (const size_t node : nodes) is_chosen[node] = true;
    return is_chosen;
  }

  // The heaviest first.
  static std::vector<std::vector<size_t>> ChildrenOf(const FrameSums& frames,
                                                     const std::vector<bool>& is_shown) {
    const MergedTree& tree = frames.tree;
    std::vector<std::vector<size_t>> children(tree.size());
    for (size_t node = 1; node < tree.size(); ++node) {
      if (is_shown[node]) children[tree.parent[node]].push_back(node);
    }
    for (auto& each : children) {
      std::ranges::stable_sort(
          each, [&](size_t a, size_t b) { return frames.total[a] > frames.total[b]; });
    }
    return children;
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
