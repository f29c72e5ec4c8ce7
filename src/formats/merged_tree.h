// MergedTree: the stacks of a profile with frames of equal labels merged, numbered in preorder, the
// children of a node in the order of their labels. The input of the writers. One thread; no
// recursion, so stacks may be of any depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profile/call_tree.h"

namespace jprof {

struct MergedTree {
  // By node; node 0 is the root, its label and parent are meaningless.
  std::vector<uint32_t> parent;
  std::vector<uint32_t> label;
  std::vector<uint32_t> of_stack;  // node of a stack

  // `labels`: of every frame; lower ones come first among the children of a node.
  MergedTree(const profile::CallTree& stacks, const std::vector<uint32_t>& labels);

  size_t size() const { return parent.size(); }
};

}  // namespace jprof
