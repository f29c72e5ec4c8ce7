// PageLines: the tree of the page with the lines of its frames, a refinement: a node for each line
// in which a frame called or ran. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/merged_tree.h"
#include "formats/varint_stream.h"
#include "profile/profile.h"

namespace jprof {

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

}  // namespace jprof
