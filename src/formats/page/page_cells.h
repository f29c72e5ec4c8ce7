// PageCells: weights of samples by kind, thread, state, slice and place, encoded for the page's
// scripts. Used by one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/page/page_model.h"
#include "profile/sample_table.h"

namespace jprof {

class PageCells {
 public:
  // The kind is a number of the profile; the other members are numbers of the page.
  using Group = profile::SampleTable::Group;

  // `groups`: the groups of all cells; may hold equal groups.
  explicit PageCells(const std::vector<Group>& groups);

  void Reserve(size_t cells) { cells_.reserve(cells); }
  // Adds a cell. `group`: an index into the groups; `place`: PageModel::PlaceOf.
  void Add(size_t group, uint64_t place, const profile::SampleTable::WeightSum& sum) {
    cells_.push_back({ranks_[group] << PageModel::kPlaceBits | place, sum});
  }
  // Sorts the cells. REQUIRES: called once, between the last Add and the first Of.
  void Sort();

  // Returns the cells of a kind in runs of equal thread, state and slice: these three, the number
  // of cells, then for each cell its place (the distance from the last place) and its weight.
  std::string Of(uint32_t kind) const;
  // Returns the standard errors of these weights, in the same order.
  std::string ErrorsOf(uint32_t kind) const;

 private:
  struct GroupCell {
    uint64_t key;  // the rank of the group, and the place in the low bits
    profile::SampleTable::WeightSum sum;
  };
  std::vector<GroupCell>::const_iterator FirstOf(uint32_t kind) const;

  std::vector<Group> groups_;    // indexed by rank; ordered by kind, thread, state and slice
  std::vector<uint64_t> ranks_;  // ranks of the groups, by index
  std::vector<GroupCell> cells_;
};

}  // namespace jprof
