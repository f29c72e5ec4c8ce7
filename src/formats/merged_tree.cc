#include "formats/merged_tree.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace jprof {
namespace {

using profile::CallTree;

constexpr uint32_t kNone = 0xFFFFFFFF;

// Children has the children of every node as a linked list, in the order of their labels.
struct Children {
  std::vector<uint32_t> first, next;

  Children(const CallTree& tree, const std::vector<uint32_t>& labels)
      : first(tree.size(), kNone), next(tree.size(), kNone) {
    // Sorts the nodes by label (counting sort). Then pushes each node to the front of the list of
    // its parent, from the last label to the first.
    uint32_t last_label = 0;
    for (const uint32_t label : labels) last_label = std::max(last_label, label);
    std::vector<uint32_t> starts(size_t{last_label} + 2);
    for (uint32_t node = 1; node < tree.size(); ++node) ++starts[labels[tree.frame(node)] + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<uint32_t> by_label(tree.size() - 1);
    for (uint32_t node = 1; node < tree.size(); ++node) {
      by_label[starts[labels[tree.frame(node)]]++] = node;
    }
    for (size_t i = by_label.size(); i-- > 0;) {
      const uint32_t node = by_label[i];
      uint32_t& head = first[tree.parent(node)];
      next[node] = head;
      head = node;
    }
  }
};

}  // namespace

FrameLabels::FrameLabels(const profile::Profile& profile, const Field& field) {
  std::map<std::string, std::vector<uint32_t>> frames_by_text;
  for (uint32_t i = 0; i < profile.frames().size(); ++i) {
    const profile::ProfileFrame& frame = profile.frames()[i];
    std::string text = profile.FrameText(i);
    if (frame.line != 0) text += ':' + std::to_string(frame.line);
    frames_by_text[field(std::move(text), frame)].push_back(i);
  }
  of_frame.resize(profile.frames().size());
  for (const auto& [text, frames] : frames_by_text) {
    for (const uint32_t frame : frames) of_frame[frame] = static_cast<uint32_t>(texts.size());
    texts.push_back(text);
  }
}

// Merges from the root down. All nodes that become one merged node are children of nodes that have
// already become one merged node. So they are found together, without a table of merged nodes. Most
// merged nodes come from a single node, whose children are already in order.
MergedTree::MergedTree(const CallTree& stacks, const std::vector<uint32_t>& labels) {
  Children children(stacks, labels);
  of_stack.resize(stacks.size());
  struct Merged {
    uint32_t head;    // first in the list of nodes that become this merged node
    uint32_t parent;  // number of the merged parent
  };
  // The merged nodes that are still to be added. The last element is added next.
  std::vector<Merged> rest = {{CallTree::kRoot, 0}};
  std::vector<uint32_t> below;
  while (!rest.empty()) {
    const Merged merged = rest.back();
    rest.pop_back();
    const auto number = static_cast<uint32_t>(parent.size());
    parent.push_back(merged.parent);
    label.push_back(merged.head == CallTree::kRoot ? 0 : labels[stacks.frame(merged.head)]);
    below.clear();
    for (uint32_t node = merged.head; node != kNone; node = children.next[node]) {
      of_stack[node] = number;
      for (uint32_t child = children.first[node]; child != kNone; child = children.next[child]) {
        below.push_back(child);
      }
    }
    const auto label_of = [&](uint32_t node) { return labels[stacks.frame(node)]; };
    if (children.next[merged.head] != kNone) std::ranges::stable_sort(below, {}, label_of);
    // Pushes from the last label to the first, so that the first label is taken next.
    for (size_t end = below.size(); end > 0;) {
      size_t begin = end - 1;
      children.next[below[begin]] = kNone;
      while (begin > 0 && label_of(below[begin - 1]) == label_of(below[end - 1])) {
        children.next[below[begin - 1]] = below[begin];
        --begin;
      }
      rest.push_back({below[begin], number});
      end = begin;
    }
  }
}

}  // namespace jprof
