#include "formats/text_sums.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "base/printable_text.h"
#include "base/scaled_text.h"
#include "formats/output_stream.h"

namespace jprof {

using profile::Profile;
using profile::SampleKind;
using profile::SampleTable;
using profile::SampleUnit;
using profile::Weigh;

void MethodSums::Add(const profile::Profile& profile, const SampleTable& table) {
  std::set<uint32_t> kinds;
  for (const SampleTable::Group& group : table.groups()) kinds.insert(group.kind);
  if (kinds.empty()) return;
  const TextTree tree(profile);
  for (const uint32_t number : kinds) {
    const NodeSums nodes(tree.nodes, table, number, table.HasErrors(profile.kinds[number]));
    const std::vector<MethodSum> methods = nodes.ByLabel(tree);
    OfKind& of_kind = kinds_[number];
    of_kind.all += nodes.total[0];
    for (size_t label = 0; label < methods.size(); ++label) {
      const MethodSum& added = methods[label];
      if (added.total == 0) continue;
      MethodSum& sum = of_kind.methods[tree.texts[label]];
      sum.self += added.self;
      sum.total += added.total;
      sum.self_variance += added.self_variance;
      sum.total_variance += added.total_variance;
    }
  }
}

MethodSums::OfKind MethodSums::Of(const profile::SampleKind& kind, uint32_t number) const {
  const auto found = kinds_.find(number);
  if (found == kinds_.end()) return {};
  OfKind sums = found->second;
  for (auto& [text, sum] : sums.methods) {
    sum.self_variance = kind.VarianceOf(static_cast<double>(sum.self), sum.self_variance);
    sum.total_variance = kind.VarianceOf(static_cast<double>(sum.total), sum.total_variance);
  }
  return sums;
}

TextTree::TextTree(const Profile& profile)
    : TextTree(profile,
               FrameLabels(profile, [](const std::string& text, const profile::ProfileFrame&) {
                 return PrintableText(text, Layout::kEscape);
               })) {}

TextTree::TextTree(const Profile& profile, FrameLabels labels)
    : texts(std::move(labels.texts)), nodes(profile.stacks, labels.of_frame) {}

NodeSums::NodeSums(const MergedTree& tree, const SampleTable& table, uint32_t kind_number,
                   bool has_errors) {
  self.resize(tree.size());
  if (has_errors) self_variance.resize(tree.size());
  table.ForEach([&](uint32_t group, uint32_t stack, const SampleTable::WeightSum& sum) {
    if (table.groups()[group].kind != kind_number) return;
    self[tree.of_stack[stack]] += sum.weight;
    if (has_errors) self_variance[tree.of_stack[stack]] += sum.variance;
  });
  total = self;
  total_variance = self_variance;
  for (size_t node = tree.size() - 1; node != 0; --node) {
    total[tree.parent[node]] += total[node];
    if (has_errors) total_variance[tree.parent[node]] += total_variance[node];
  }
}

FrameSums::FrameSums(const Profile& profile, const SampleTable& table, uint32_t kind_number)
    : tree(profile),
      kind(profile.kinds[kind_number]),
      has_errors(table.HasErrors(kind)),
      nodes(tree.nodes, table, kind_number, has_errors) {}

std::vector<MethodSum> NodeSums::ByLabel(const TextTree& of_sums) const {
  const MergedTree& tree = of_sums.nodes;
  const bool has_errors = !self_variance.empty();
  std::vector<MethodSum> methods(of_sums.texts.size());
  std::vector<uint32_t> on_path(methods.size());  // by label: how often `path` contains it
  std::vector<uint32_t> path = {0};               // from the root to the current node
  for (uint32_t node = 1; node < tree.size(); ++node) {
    while (path.back() != tree.parent[node]) {
      --on_path[tree.label[path.back()]];
      path.pop_back();
    }
    path.push_back(node);
    MethodSum& method = methods[tree.label[node]];
    method.self += self[node];
    method.self_variance += has_errors ? self_variance[node] : profile::kNotKnown;
    if (on_path[tree.label[node]]++ != 0) continue;
    method.total += total[node];
    method.total_variance += has_errors ? total_variance[node] : profile::kNotKnown;
  }
  return methods;
}

HeaviestChildren::HeaviestChildren(const FrameSums& sums, const std::vector<bool>& is_shown)
    : begins_(sums.nodes.total.size() + 1) {
  const MergedTree& tree = sums.tree.nodes;
  const auto has = [&](uint32_t node) {
    return sums.nodes.total[node] != 0 && (is_shown.empty() || is_shown[node]);
  };
  // Sorts the nodes by parent (counting sort).
  for (uint32_t node = 1; node < tree.size(); ++node) {
    if (has(node)) ++begins_[tree.parent[node] + 1];
  }
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  nodes_.resize(begins_.back());
  std::vector<uint32_t> next(begins_.begin(), begins_.end() - 1);
  for (uint32_t node = 1; node < tree.size(); ++node) {
    if (has(node)) nodes_[next[tree.parent[node]]++] = node;
  }
  // Siblings of equal weight are sorted by number, which is the order of their texts.
  for (uint32_t node = 0; node < tree.size(); ++node) {
    const auto first = nodes_.begin() + begins_[node], last = nodes_.begin() + begins_[node + 1];
    if (last - first < 2) continue;
    std::sort(first, last, [&](uint32_t a, uint32_t b) {
      const uint64_t left = sums.nodes.total[a], right = sums.nodes.total[b];
      return left != right ? left > right : a < b;
    });
  }
}

WeightText::WeightText(const SampleKind& kind, Weigh weigh) {
  if (weigh == Weigh::kSamples || kind.unit == SampleUnit::kSamples) return;
  unit_ = kind.unit == SampleUnit::kNanos ? "ms" : "bytes";
}

std::string WeightText::Of(uint64_t weight) const {
  if (unit_ != "ms") return std::to_string(weight);
  char text[40];
  std::snprintf(text, sizeof text, "%llu.%03llu",
                static_cast<unsigned long long>(weight / 1'000'000),
                static_cast<unsigned long long>(weight / 1'000 % 1'000));
  return text;
}

void WriteHeading(const Profile& profile, const FormatContext& context, OutputStream& out) {
  std::string text = "# ";
  if (context.kind) {
    const SampleKind& kind = profile.kinds[*context.kind];
    text += kind.name + ": " + std::to_string(kind.samples) + " samples";
    if (kind.interval_ns > 0) text += " of " + DurationText(kind.interval_ns);
    if (kind.HasError()) {
      text += ", " + WeightText(kind, Weigh::kValue).Of(kind.value) + " bytes " +
              ErrorText(static_cast<double>(kind.value), kind.variance);
    }
  } else {
    text += "no samples";
  }
  if (!context.title.empty()) text += "; " + context.title;
  out.Text(PrintableText(text, Layout::kEscape) + "\n");
  for (const std::string& part : context.selection) {
    out.Text("# selection: " + PrintableText(part, Layout::kEscape) + "\n");
  }
  if (!context.missing.empty()) {
    out.Text("# missing: " + PrintableText(context.missing, Layout::kEscape) + "\n");
  }
}

std::string ErrorText(double estimate, double variance) {
  if (std::isnan(variance) || estimate <= 0) return {};
  const double percent = 100 * std::sqrt(variance) / estimate;
  const int decimals = percent == 0 || percent >= 9.95 ? 0 : percent >= 0.995 ? 1 : 2;
  char text[400];
  std::snprintf(text, sizeof text, "\xC2\xB1 %.*f %%", decimals, percent);
  return text;
}

std::string ShareText(uint64_t part, uint64_t whole) {
  char text[32];
  const double share = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  std::snprintf(text, sizeof text, "%.1f%%", share * 100);
  return text;
}

std::string RightAligned(const std::string& text, size_t width) {
  const auto given = static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
  return given < width ? std::string(width - given, ' ') + text : text;
}

}  // namespace jprof
