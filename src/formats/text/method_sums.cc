#include "formats/text/method_sums.h"

#include <set>
#include <vector>

#include "formats/text/frame_sums.h"

namespace jprof {

using profile::SampleTable;

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

}  // namespace jprof
