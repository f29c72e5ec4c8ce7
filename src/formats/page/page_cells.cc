#include "formats/page/page_cells.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "formats/varint_stream.h"

namespace jprof {

PageCells::PageCells(const std::vector<Group>& groups) : ranks_(groups.size()) {
  std::vector<size_t> order(groups.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto key = [&groups](size_t i) {
    const Group& group = groups[i];
    return std::tuple(group.kind, group.thread, group.state, group.slice);
  };
  std::ranges::sort(order, {}, key);
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || key(order[i]) != key(order[i - 1])) groups_.push_back(groups[order[i]]);
    ranks_[order[i]] = groups_.size() - 1;
  }
}

void PageCells::Sort() { std::ranges::sort(cells_, {}, &GroupCell::key); }

std::vector<PageCells::GroupCell>::const_iterator PageCells::FirstOf(uint32_t kind) const {
  return std::partition_point(cells_.begin(), cells_.end(), [&](const GroupCell& cell) {
    return groups_[cell.key >> PageModel::kPlaceBits].kind < kind;
  });
}

std::string PageCells::ErrorsOf(uint32_t kind) const {
  VarintStream numbers;
  const auto end = FirstOf(kind + 1);
  for (auto at = FirstOf(kind); at != end; ++at) {
    numbers.Add(static_cast<uint64_t>(std::llround(std::sqrt(at->sum.variance))));
  }
  return numbers.Base64();
}

std::string PageCells::Of(uint32_t kind) const {
  VarintStream numbers;
  const auto group_of = [](const GroupCell& cell) { return cell.key >> PageModel::kPlaceBits; };
  auto at = FirstOf(kind);
  while (at != cells_.end() && groups_[group_of(*at)].kind == kind) {
    const uint64_t number = group_of(*at);
    const auto end = std::find_if(at, cells_.end(),
                                  [&](const GroupCell& cell) { return group_of(cell) != number; });
    numbers.Add(groups_[number].thread);
    numbers.Add(groups_[number].state);
    numbers.Add(groups_[number].slice);
    numbers.Add(static_cast<uint64_t>(end - at));
    for (uint64_t last = 0; at != end; ++at) {
      const uint64_t place = at->key & ((uint64_t{1} << PageModel::kPlaceBits) - 1);
      numbers.Add(place - last);
      numbers.Add(at->sum.weight);
      last = place;
    }
  }
  return numbers.Base64();
}

}  // namespace jprof
