// CallTree holds all stacks of a profile, merged from their roots. A node stands for a stack, whose
// frames are the frame of the node and those of its ancestors. Node 0 is the root and has no frame.
// Not thread-safe. Guarantees:
//  1. A parent has a lower number than its children.
//  2. Equal stacks have the same node.
//
// Memory: 8 bytes per node, and 12 to 24 for the index that finds nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/key_map.h"
#include "sigsafe/base/check.h"

namespace jprof::profile {

class CallTree {
 public:
  static constexpr uint32_t kRoot = 0;

  CallTree() { Append({kRoot, 0}); }

  // Returns the child of `parent` with this frame; adds it if there is none.
  // REQUIRES: EndAdding has not been called.
  uint32_t Child(uint32_t parent, uint32_t frame) {
    JPROF_CHECK(!has_ended_);
    if (size_t{size_} * 3 >= slots_.size() * 2) Grow();
    const auto hash =
        static_cast<uint32_t>(KeyMap::Hash(uint64_t{parent} << 32 | frame) >> kUnusedHashBits);
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    for (; slots_[at].node != kRoot; at = (at + 1) & mask) {
      if (slots_[at].hash != hash) continue;
      const Node& node = At(slots_[at].node);
      if (node.parent == parent && node.frame == frame) return slots_[at].node;
    }
    slots_[at] = {hash, size_};  // size_ is at least 1, so it never equals kRoot
    return Append({parent, frame});
  }

  // Frees the index, so Child must not be called afterwards.
  void EndAdding() {
    has_ended_ = true;
    slots_ = {};
  }

  uint32_t parent(uint32_t node) const { return At(node).parent; }
  uint32_t frame(uint32_t node) const { return At(node).frame; }
  size_t size() const { return size_; }

 private:
  struct Node {
    uint32_t parent, frame;
  };
  // A slot keeps the hash of its node. So a search can skip most slots without reading their nodes,
  // and the table can grow without reading any node.
  struct Slot {
    uint32_t hash = 0;
    uint32_t node = kRoot;  // kRoot if the slot is free
  };
  static constexpr int kUnusedHashBits = 32;
  static constexpr uint32_t kBlockBits = 12;
  static constexpr uint32_t kBlockNodes = 1 << kBlockBits;

  const Node& At(uint32_t node) const {
    return blocks_[node >> kBlockBits][node & (kBlockNodes - 1)];
  }

  uint32_t Append(Node node) {
    if ((size_ & (kBlockNodes - 1)) == 0) {
      blocks_.push_back(std::make_unique_for_overwrite<Node[]>(kBlockNodes));
    }
    blocks_[size_ >> kBlockBits][size_ & (kBlockNodes - 1)] = node;
    return size_++;
  }

  void Grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    const size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.node == kRoot) continue;
      size_t at = slot.hash & mask;
      while (slots_[at].node != kRoot) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  // Blocks of kBlockNodes nodes. The tree grows by whole blocks, so no node is copied, and only the
  // last block can have unused space.
  std::vector<std::unique_ptr<Node[]>> blocks_;
  uint32_t size_ = 0;
  bool has_ended_ = false;
  std::vector<Slot> slots_;  // parent and frame -> node: open addressing
};

}  // namespace jprof::profile
