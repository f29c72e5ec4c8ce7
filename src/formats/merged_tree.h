// MergedTree: the stacks of a profile with frames of equal labels merged, numbered in preorder, the
// children of a node in the order of their labels. The input of the writers. One thread; no
// recursion, so stacks may be of any depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "profile/call_tree.h"
#include "profile/profile.h"

namespace jprof {

// FrameLabels: the texts by which frames are merged for people: frames of equal texts have one
// label. The input of MergedTree. Plain data; one thread.
struct FrameLabels {
  std::vector<std::string> texts;  // by label, each once, ascending
  std::vector<uint32_t> of_frame;  // label of a frame

  // `field`: the text as the format writes it, made of "java.util.HashMap.get", or
  // "java.util.HashMap.get:57" where the profile has lines.
  using Field = std::function<std::string(std::string text, const profile::ProfileFrame& frame)>;
  FrameLabels(const profile::Profile& profile, const Field& field);
};

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
