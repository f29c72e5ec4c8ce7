// FrameLabels gives equal labels to frames with equal texts. MergedTree merges the stacks of a
// profile so that the children of a node have different labels. Plain data; used by one thread. No
// recursion, so stacks can have any depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "profile/call_tree.h"
#include "profile/profile.h"

namespace jprof {

// FrameLabels gives each frame a label, which is the number of its text. Frames of equal texts have
// the same label.
struct FrameLabels {
  std::vector<std::string> texts;  // indexed by label; distinct, in ascending order
  std::vector<uint32_t> of_frame;  // label, indexed by frame

  // A function that returns the text of a frame as the format writes it. `text` is
  // "java.util.HashMap.get", or "java.util.HashMap.get:57" if the frame has a line.
  using Field = std::function<std::string(std::string text, const profile::ProfileFrame& frame)>;
  FrameLabels(const profile::Profile& profile, const Field& field);
};

// MergedTree has the stacks of a profile. Nodes with the same parent and the same label are merged.
// Nodes are numbered in preorder, and the children of a node in the order of their labels.
struct MergedTree {
  std::vector<uint32_t> parent;    // indexed by node; node 0 is the root, its parent is meaningless
  std::vector<uint32_t> label;     // indexed by node; the label of the root is meaningless
  std::vector<uint32_t> of_stack;  // node, indexed by stack

  // `labels` has the label of every frame.
  MergedTree(const profile::CallTree& stacks, const std::vector<uint32_t>& labels);

  size_t size() const { return parent.size(); }
};

}  // namespace jprof
