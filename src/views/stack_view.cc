// The views of stacks of one kind: hot, methods and tree.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "formats/merged_tree.h"
#include "profile/sample_table.h"
#include "views/table_view.h"
#include "views/view_makers.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::SampleTable;
using profile::Weigh;

// The stacks of a kind, with frames of equal texts merged, and what was added up of them.
class WeighedTree {
 public:
  WeighedTree(const Profile& profile, const SampleTable& table, std::optional<uint32_t> kind)
      : tree_(profile.stacks, Labels(profile)), self_(tree_.size()), total_(tree_.size()) {
    table.ForEach([&](uint32_t group, uint32_t stack, uint64_t weight) {
      if (table.groups()[group].kind == kind) self_[tree_.of_stack[stack]] += weight;
    });
    // In preorder a parent comes before its children.
    total_ = self_;
    for (size_t node = tree_.size(); node-- > 1;) total_[tree_.parent[node]] += total_[node];
  }

  const MergedTree& tree() const { return tree_; }
  const std::string& TextOf(size_t node) const { return texts_[tree_.label[node]]; }
  const std::vector<std::string>& texts() const { return texts_; }  // by label
  uint64_t self(size_t node) const { return self_[node]; }
  uint64_t total(size_t node) const { return total_[node]; }

 private:
  // The number of each frame's text.
  std::vector<uint32_t> Labels(const Profile& profile) {
    std::map<std::string, uint32_t> numbers;
    std::vector<uint32_t> labels;
    for (uint32_t frame = 0; frame < profile.frames().size(); ++frame) {
      const auto number = static_cast<uint32_t>(texts_.size());
      const auto [known, is_new] = numbers.emplace(profile.FrameText(frame), number);
      if (is_new) texts_.push_back(known->first);
      labels.push_back(known->second);
    }
    return labels;
  }

  std::vector<std::string> texts_;
  MergedTree tree_;
  std::vector<uint64_t> self_;   // by node
  std::vector<uint64_t> total_;  // by node, with all below it
};

struct MethodSum {
  uint64_t self = 0;
  uint64_t total = 0;  // of the stacks that it is on, however often
};

// By label.
std::vector<MethodSum> SumsOf(const WeighedTree& weighed) {
  const MergedTree& tree = weighed.tree();
  std::vector<MethodSum> sums(weighed.texts().size());
  std::vector<uint32_t> on_path(sums.size());
  std::vector<size_t> path = {0};  // nodes from the root on
  for (size_t node = 1; node < tree.size(); ++node) {
    while (path.back() != tree.parent[node]) {
      --on_path[tree.label[path.back()]];
      path.pop_back();
    }
    path.push_back(node);
    MethodSum& sum = sums[tree.label[node]];
    sum.self += weighed.self(node);
    if (on_path[tree.label[node]]++ == 0) sum.total += weighed.total(node);
  }
  return sums;
}

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
    const ValueForm form =
        context.kind ? FormOf(profile.kinds[*context.kind], weigh_) : ValueForm::kNumber;
    FillTable(WeighedTree(profile, samples_, context.kind), form, table);
    return table;
  }

  virtual void FillTable(const WeighedTree& weighed, ValueForm form, Table& table) const = 0;

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
  void FillTable(const WeighedTree& weighed, ValueForm form, Table& table) const override {
    table.columns = {{"selfShare", "self", ValueForm::kFraction},
                     {"self", "", form},
                     {"totalShare", "total", ValueForm::kFraction},
                     {"total", "", form},
                     {"method", "method", ValueForm::kText, Cut::kFront}};
    const std::vector<MethodSum> sums = SumsOf(weighed);
    std::vector<size_t> labels;
    for (size_t label = 0; label < sums.size(); ++label) {
      if (sums[label].*order_ != 0) labels.push_back(label);
    }
    std::ranges::sort(labels, [&](size_t a, size_t b) {
      if (sums[a].*order_ != sums[b].*order_) return sums[a].*order_ > sums[b].*order_;
      return weighed.texts()[a] < weighed.texts()[b];
    });
    const auto all = static_cast<double>(weighed.total(0));
    for (const size_t label : labels) {
      const auto self = static_cast<double>(sums[label].self);
      const auto total = static_cast<double>(sums[label].total);
      table.rows.push_back({ShareCell(self, all), NumberCell(form, self), ShareCell(total, all),
                            NumberCell(form, total), TextCell(weighed.texts()[label])});
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
  void FillTable(const WeighedTree& weighed, ValueForm form, Table& table) const override {
    table.columns = {{"totalShare", "total", ValueForm::kFraction},
                     {"total", "", form},
                     {"self", "self", form},
                     {"depth", "", ValueForm::kNumber, Cut::kEnd, true},
                     {"frame", "frame"}};
    const std::vector<bool> is_shown = Heaviest(weighed, table);
    const std::vector<std::vector<size_t>> children = ChildrenOf(weighed, is_shown);
    std::vector<std::pair<size_t, size_t>> rest = {{0, 0}};  // node and depth, the next one last
    const auto all = static_cast<double>(weighed.total(0));
    while (!rest.empty()) {
      const auto [node, depth] = rest.back();
      rest.pop_back();
      for (size_t i = children[node].size(); i-- > 0;)
        rest.emplace_back(children[node][i], depth + 1);
      if (node == 0) continue;
      const auto total = static_cast<double>(weighed.total(node));
      table.rows.push_back({ShareCell(total, all), NumberCell(form, total),
                            NumberCell(form, static_cast<double>(weighed.self(node))),
                            NumberCell(ValueForm::kNumber, static_cast<double>(depth)),
                            TextCell(weighed.TextOf(node), depth - 1)});
    }
  }

 private:
  // A node is never heavier than its parent, so that what is chosen hangs together: of equals the
  // first in preorder is taken.
  std::vector<bool> Heaviest(const WeighedTree& weighed, Table& table) const {
    std::vector<size_t> nodes;
    for (size_t node = 1; node < weighed.tree().size(); ++node) {
      if (weighed.total(node) != 0) nodes.push_back(node);
    }
    std::ranges::stable_sort(
        nodes, [&](size_t a, size_t b) { return weighed.total(a) > weighed.total(b); });
    if (options().limit != 0 && nodes.size() > options().limit) {
      table.left_out = nodes.size() - options().limit;
      nodes.resize(options().limit);
    }
    std::vector<bool> is_chosen(weighed.tree().size());
    for (const size_t node : nodes) is_chosen[node] = true;
    return is_chosen;
  }

  // The heaviest first.
  static std::vector<std::vector<size_t>> ChildrenOf(const WeighedTree& weighed,
                                                     const std::vector<bool>& is_shown) {
    const MergedTree& tree = weighed.tree();
    std::vector<std::vector<size_t>> children(tree.size());
    for (size_t node = 1; node < tree.size(); ++node) {
      if (is_shown[node]) children[tree.parent[node]].push_back(node);
    }
    for (auto& each : children) {
      std::ranges::stable_sort(
          each, [&](size_t a, size_t b) { return weighed.total(a) > weighed.total(b); });
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
