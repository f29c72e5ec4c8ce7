// PageModel: a profile with the numbers of the page: frames, nodes, threads, states and kinds. The
// numbers are those of the JSON (docs/formats/flame-graph.md). Immutable; one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/merged_tree.h"
#include "formats/page/page_frames.h"
#include "formats/page/page_lines.h"
#include "formats/page/page_threads.h"
#include "profile/profile.h"
#include "profile/sample_table.h"

namespace jprof {

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

}  // namespace jprof
