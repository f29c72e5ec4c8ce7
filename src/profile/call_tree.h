// CallTree: all stacks of a profile, merged from their roots: a stack is a node, its frames are
// those of the node and its ancestors. Node 0 is the root and has no frame. One thread.
//  1. A parent has a lower number than its children.
//  2. Equal stacks are the same node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/key_map.h"

namespace jprof::profile {

class CallTree {
 public:
  static constexpr uint32_t kRoot = 0;

  CallTree() : nodes_{{kRoot, 0}} {}

  uint32_t Child(uint32_t parent, uint32_t frame) {
    uint32_t& number = children_.At(uint64_t{parent} << 32 | frame);
    if (number == 0) {
      number = static_cast<uint32_t>(nodes_.size());  // never 0: the root is no child
      nodes_.push_back({parent, frame});
    }
    return number;
  }

  uint32_t parent(uint32_t node) const { return nodes_[node].parent; }
  uint32_t frame(uint32_t node) const { return nodes_[node].frame; }
  size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    uint32_t parent, frame;
  };
  std::vector<Node> nodes_;
  KeyMap children_;  // parent and frame -> node
};

}  // namespace jprof::profile
