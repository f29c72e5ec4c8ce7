// PageCells: weights of samples by kind, thread, state, slice and place, as the page's scripts read
// them. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/page/page_model.h"
#include "profile/sample_table.h"

namespace jprof {

class PageCells {
 public:
  using Group = profile::SampleTable::Group;  // the kind of the profile, else numbers of the page

  // Cells are of these groups, which may come twice.
  explicit PageCells(const std::vector<Group>& groups);

  void Reserve(size_t cells) { cells_.reserve(cells); }
  // `group`: an index into the groups; `place`: PageModel::PlaceOf.
  void Add(size_t group, uint64_t place, const profile::SampleTable::WeightSum& sum) {
    cells_.push_back({ranks_[group] << PageModel::kPlaceBits | place, sum});
  }
  // REQUIRES: called once, between the last Add and the first Of.
  void Sort();

  // Runs of one thread, state and slice: these three, count, then for each cell its place, as the
  // distance from the last one, and its weight.
  std::string Of(uint32_t kind) const;
  // The standard errors of these weights, in the same order.
  std::string ErrorsOf(uint32_t kind) const;

 private:
  struct GroupCell {
    uint64_t key;  // the rank of the group, and the place in the low bits
    profile::SampleTable::WeightSum sum;
  };
  std::vector<GroupCell>::const_iterator FirstOf(uint32_t kind) const;

  std::vector<Group> groups_;    // by rank: by kind, thread, state, slice
  std::vector<uint64_t> ranks_;  // by index of the group
  std::vector<GroupCell> cells_;
};

}  // namespace jprof
