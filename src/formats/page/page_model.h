// PageModel: a profile with the numbers of the page: frames, nodes, threads, states and kinds. The
// numbers are those of the JSON (docs/formats/flame-graph.md). Immutable; one thread.
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

// PageThreads and PageStates: what samples of the page can be chosen by.

// Threads by name, those with the most samples first.
struct PageThreads {
  static constexpr size_t kMaxThreads = 1000;  // those beyond are shown as one

  std::vector<std::string> names;
  std::vector<uint32_t> counts;     // how many threads have that name
  std::vector<uint32_t> of_thread;  // by thread of the profile

  PageThreads(const profile::Profile& profile, const profile::SampleTable& table);
};

// The states of threads that samples have, in the order of the profile.
struct PageStates {
  std::vector<std::string> names;  // "" for a state that was not recorded
  std::array<uint32_t, profile::SampleTable::kMaxStates> place = {};  // by state of the table

  PageStates(const profile::Profile& profile, const profile::SampleTable& table);
};

// PageLines: the tree of the page with the lines of its frames, a refinement: a node for each line
// in which a frame called or ran.
class PageLines {
 public:
  // Pages of recordings with more nodes have no lines: they would be too large to open.
  static constexpr size_t kMaxNodes = 1'000'000;

  // `of_frame`: the page's frame of each frame; `tree`: their tree.
  PageLines(const profile::Profile& profile, const std::vector<uint32_t>& of_frame,
            const MergedTree& tree);

  // Lines are known, but too many.
  bool IsTooLarge() const { return is_too_large_; }
  // No lines are known, or too many.
  bool IsEmpty() const { return of_stack_.empty(); }
  uint32_t node_of_stack(uint32_t stack) const { return of_stack_[stack]; }

  // Of every node: distance to the parent, distance of its node of `tree` to the parent's, line.
  std::string Base64() const { return numbers_.Base64(); }

 private:
  std::vector<uint32_t> of_stack_;
  VarintStream numbers_;
  bool is_too_large_ = false;
};

// PageFrames: the methods of the page, by owner and name. Overloads are one method, and so is a
// method that ran in several ways: the tree holds how often it ran in each way.
struct PageFrames {
  // Owner and name as texts of the page, 1 for a symbol of native code.
  using Key = std::tuple<uint32_t, uint32_t, uint64_t>;
  std::vector<Key> frames;
  std::vector<uint32_t> of_frame;               // by frame of the profile
  std::vector<std::string_view> owners, names;  // of the profile, ascending

  explicit PageFrames(const profile::Profile& profile);
};

struct PageModel {
  // REQUIRES: both outlive the object and do not change.
  PageModel(const profile::Profile& profile, const profile::SampleTable& table);

  // The node of a stack, with lines if there are any, and how its frame ran, as one number below
  // 2^kPlaceBits.
  static constexpr int kPlaceBits = 36;
  uint64_t PlaceOf(uint32_t stack) const;

  const profile::Profile& profile;
  const profile::SampleTable& table;
  const PageFrames frames;
  const PageThreads threads;
  const PageStates states;
  const MergedTree tree;
  const PageLines lines;
  const std::vector<uint32_t> kinds;  // of the profile, in the order of the page
};

// PageSection: the data of a part of the page beside the graph, which are further members of the
// page's JSON object.
class PageSection {
 public:
  virtual ~PageSection() = default;
  // As those of SampleSink.
  virtual void OnChunk(const profile::JfrSchema& /*declared*/) {}
  virtual void OnSample(const profile::Sample& /*sample*/) {}
  virtual bool WantsEvents(const profile::RecordedType& /*type*/) { return false; }
  virtual bool TakesEvent(const profile::RecordedType& /*type*/) { return false; }
  virtual void OnEvent(const profile::ProfileEvent& /*event*/) {}
  // The error is one line with a remedy. REQUIRES: called once, after the last event.
  virtual Status Write(const PageModel& page, JsonWriter& json) = 0;
};

using PageSections = std::vector<std::unique_ptr<PageSection>>;

}  // namespace jprof
