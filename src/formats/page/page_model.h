// PageModel: a profile with the numbers of the page: frames, nodes, threads, states and kinds. The
// numbers are those of the JSON (docs/formats/flame-graph.md). Immutable; used by one thread.
//
// PageCells: the weights of samples, with these numbers.
// PageSection: a part of the page that adds members to the JSON object.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "formats/json_writer.h"
#include "formats/merged_tree.h"
#include "formats/varint_stream.h"
#include "profile/profile.h"
#include "profile/sample_table.h"

namespace jprof {

// PageThreads: the names of threads, those with the most entries of the table first. The user of
// the page chooses samples by them.
struct PageThreads {
  static constexpr size_t kMaxThreads = 1000;  // names beyond these are shown as one

  std::vector<std::string> names;
  std::vector<uint32_t> counts;     // number of threads with samples that have this name
  std::vector<uint32_t> of_thread;  // number of the name, by thread of the profile

  PageThreads(const profile::Profile& profile, const profile::SampleTable& table);
};

// PageStates: the states of threads that samples have, in the order of the profile. The user of the
// page chooses samples by them.
struct PageStates {
  std::vector<std::string> names;  // "" for a state that was not recorded
  // Index into names, by state of the table.
  std::array<uint32_t, profile::SampleTable::kMaxStates> place = {};

  PageStates(const profile::Profile& profile, const profile::SampleTable& table);
};

// PageLines: a refinement of the page's tree: a node of the tree becomes a node for each line in
// which its frame called or ran.
class PageLines {
 public:
  // A page with more nodes of lines would be too large to open: it has no lines.
  static constexpr size_t kMaxNodes = 1'000'000;

  // `of_frame`: the page's frame, by frame of the profile; `tree`: the tree of the page.
  PageLines(const profile::Profile& profile, const std::vector<uint32_t>& of_frame,
            const MergedTree& tree);

  // True if lines are known but need more than kMaxNodes nodes.
  bool IsTooLarge() const { return is_too_large_; }
  // True if no lines are known or they need too many nodes.
  bool IsEmpty() const { return of_stack_.empty(); }
  uint32_t node_of_stack(uint32_t stack) const { return of_stack_[stack]; }

  // Returns three numbers for every node: the distance to its parent, the distance of its node of
  // `tree` to the parent's node of `tree`, and the line (0: unknown).
  std::string Base64() const { return numbers_.Base64(); }

 private:
  std::vector<uint32_t> of_stack_;
  VarintStream numbers_;
  bool is_too_large_ = false;
};

// PageFrames: the methods of the page, by owner and name. Overloads are one method. A method that
// ran in several ways is one method, too: PageModel::PlaceOf and the tiers of nodes have the way.
struct PageFrames {
  // Indices into owners and names; then 1 for a symbol of native code, otherwise 0.
  using Key = std::tuple<uint32_t, uint32_t, uint64_t>;
  std::vector<Key> frames;
  std::vector<uint32_t> of_frame;               // index into frames, by frame of the profile
  std::vector<std::string_view> owners, names;  // texts of the profile, ascending

  explicit PageFrames(const profile::Profile& profile);
};

// PageModel: a profile with the numbers of the page.
struct PageModel {
  // REQUIRES: `profile` and `table` outlive the object and do not change.
  PageModel(const profile::Profile& profile, const profile::SampleTable& table);

  static constexpr int kPlaceBits = 36;
  // Returns the node of a stack (of the tree of lines, if there is one) and the kind of its
  // innermost frame as one number below 2^kPlaceBits.
  uint64_t PlaceOf(uint32_t stack) const;

  const profile::Profile& profile;
  const profile::SampleTable& table;
  const PageFrames frames;
  const PageThreads threads;
  const PageStates states;
  const MergedTree tree;
  const PageLines lines;
  const std::vector<uint32_t> kinds;  // kinds of the profile, in the order of the page
};

// PageCells: weights of samples by kind, thread, state, slice and place, encoded for the page's
// scripts.
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

// PageSection: collects the data of a part of the page other than the graph, and writes them as
// further members of the page's JSON object.
class PageSection {
 public:
  virtual ~PageSection() = default;
  // These functions are called like those of SampleSink.
  virtual void OnChunk(const profile::JfrSchema& /*declared*/) {}
  virtual void OnSample(const profile::Sample& /*sample*/) {}
  virtual bool WantsEvents(const profile::RecordedType& /*type*/) { return false; }
  virtual bool TakesEvent(const profile::RecordedType& /*type*/) { return false; }
  virtual void OnEvent(const profile::ProfileEvent& /*event*/) {}
  // Writes the members of the section. The error is one line with a remedy. REQUIRES: called once,
  // after the last event.
  virtual Status Write(const PageModel& page, JsonWriter& json) = 0;
};

using PageSections = std::vector<std::unique_ptr<PageSection>>;

}  // namespace jprof
