// PageModel has the numbers that the JSON of the page uses for the frames, nodes, threads, states
// and kinds of a profile (docs/formats/flame-graph.md). It is immutable. PageCells has the weights
// of samples by these numbers. PageSection is a part of the page that adds members to the JSON
// object.
//
// Used by one thread.
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

// PageThreads has the names of threads. The user of the page chooses samples by these names. Names
// whose threads have more sums in the table come first.
struct PageThreads {
  static constexpr size_t kMaxThreads = 1000;  // all other names are shown as one name

  std::vector<std::string> names;
  std::vector<uint32_t> counts;     // by name: number of threads that have samples
  std::vector<uint32_t> of_thread;  // number of the name, by thread of the profile

  PageThreads(const profile::Profile& profile, const profile::SampleTable& table);
};

// PageStates has the states that occur in samples, in the order of the profile. The user of the
// page chooses samples by state.
struct PageStates {
  std::vector<std::string> names;  // "" for a state that was not recorded
  // Index into names, by state of the table.
  std::array<uint32_t, profile::SampleTable::kMaxStates> place = {};

  PageStates(const profile::Profile& profile, const profile::SampleTable& table);
};

// PageLines has the tree with lines, which is the page's tree with its nodes split by line. The
// line of a node is the line at which its frame called the next frame or, in the innermost frame,
// the line that was running.
class PageLines {
 public:
  // Caps the nodes of the tree with lines. If the tree needs more nodes, the page has no lines,
  // because a page with such a tree would be too large to open.
  static constexpr size_t kMaxNodes = 1'000'000;

  // `of_frame` has the page's frame for each frame of the profile. `tree` is the tree of the page.
  PageLines(const profile::Profile& profile, const std::vector<uint32_t>& of_frame,
            const MergedTree& tree);

  // True if lines are known but need more than kMaxNodes nodes.
  bool IsTooLarge() const { return is_too_large_; }
  // True if no lines are known or if they need more than kMaxNodes nodes.
  bool IsEmpty() const { return of_stack_.empty(); }
  uint32_t node_of_stack(uint32_t stack) const { return of_stack_[stack]; }

  // Returns three numbers for every node n of the tree with lines: n - parent(n); plain(n) -
  // plain(parent(n)), where plain(n) is the node of the page's tree for which n stands; and the
  // line of n, or 0 if it is unknown.
  std::string Base64() const { return numbers_.Base64(); }

 private:
  std::vector<uint32_t> of_stack_;
  VarintStream numbers_;
  bool is_too_large_ = false;
};

// PageFrames has the methods of the page, by owner and name. Overloads of a method are one method.
// Interpreted and compiled frames of a method are also one method. The page learns how a method ran
// from PageModel::PlaceOf and from the tiers of nodes.
struct PageFrames {
  // An index into owners, an index into names, and 1 for a symbol of native code or else 0.
  using Key = std::tuple<uint32_t, uint32_t, uint64_t>;
  std::vector<Key> frames;
  std::vector<uint32_t> of_frame;               // index into frames, by frame of the profile
  std::vector<std::string_view> owners, names;  // texts of the profile, ascending

  explicit PageFrames(const profile::Profile& profile);
};

// PageModel has the numbers of the page for a profile.
struct PageModel {
  // REQUIRES: `profile` and `table` outlive the object and do not change.
  PageModel(const profile::Profile& profile, const profile::SampleTable& table);

  static constexpr int kPlaceBits = 36;
  // Returns the place of a stack, a number below 2^kPlaceBits. It combines the node of the stack
  // and the kind of its innermost frame. If the page has lines, the node is in the tree with lines.
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

// PageCells encodes the weights of samples for the page's scripts. A cell is the weight of the
// samples of one kind, thread, state, slice and place (PageModel::PlaceOf).
class PageCells {
 public:
  // The kind is a number of the profile. The other members are numbers of the page.
  using Group = profile::SampleTable::Group;

  // `groups` has the groups of all cells. Several elements can be equal.
  explicit PageCells(const std::vector<Group>& groups);

  void Reserve(size_t cells) { cells_.reserve(cells); }
  // Adds a cell. `group` is an index into the `groups` of the constructor.
  void Add(size_t group, uint64_t place, const profile::SampleTable::WeightSum& sum) {
    cells_.push_back({ranks_[group] << PageModel::kPlaceBits | place, sum});
  }
  // Sorts the cells. REQUIRES: called once, after the last call of `Add` and before the first call
  // of `Of`.
  void Sort();

  // Returns the cells of a kind as a sequence of runs. All cells of a run have the same thread,
  // state and slice. A run consists of the numbers of the thread, the state and the slice, the
  // number of its cells, and two numbers for each cell: the distance from the place of the previous
  // cell to the place of the cell, and the weight of the cell.
  std::string Of(uint32_t kind) const;
  // Returns the standard errors of the weights that `Of` returns, in the order of these weights.
  std::string ErrorsOf(uint32_t kind) const;

 private:
  struct GroupCell {
    uint64_t key;  // the rank of the group, and the place in the low bits
    profile::SampleTable::WeightSum sum;
  };
  std::vector<GroupCell>::const_iterator FirstOf(uint32_t kind) const;

  std::vector<Group> groups_;    // indexed by rank; ordered by kind, thread, state and slice
  std::vector<uint64_t> ranks_;  // ranks, by index into the `groups` of the constructor
  std::vector<GroupCell> cells_;
};

// PageSection collects the data of a part of the page other than the graph, and writes them as
// further members of the page's JSON object.
class PageSection {
 public:
  virtual ~PageSection() = default;
  // The next five functions are called like the functions of SampleSink with the same names.
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
