#include "formats/merged_tree.h"

#include <algorithm>
#include <numeric>

namespace jprof {
namespace {

using profile::CallTree;

constexpr uint32_t kNone = 0xFFFFFFFF;

// Children of every node as linked lists, in the order of their labels.
struct Children {
  std::vector<uint32_t> first, next;

  explicit Children(const CallTree& tree) : first(tree.size(), kNone), next(tree.size(), kNone) {
    // Nodes by label (counting sort), then pushed to the front of their lists from the last label.
    uint32_t last_label = 0;
    for (uint32_t node = 1; node < tree.size(); ++node) {
      last_label = std::max(last_label, tree.frame(node));
    }
    std::vector<uint32_t> starts(size_t{last_label} + 2);
    for (uint32_t node = 1; node < tree.size(); ++node) ++starts[tree.frame(node) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<uint32_t> by_label(tree.size() - 1);
    for (uint32_t node = 1; node < tree.size(); ++node) {
      by_label[starts[tree.frame(node)]++] = node;
    }
    std::reverse(by_label.begin(), by_label.end());
    for (const uint32_t node : by_label) {
      uint32_t& head = first[tree.parent(node)];
      next[node] = head;
      head = node;
    }
  }
};

}  // namespace

MergedTree::MergedTree(const CallTree& stacks, const std::vector<uint32_t>& labels) {
  CallTree joined;
  of_stack.resize(stacks.size());
  for (uint32_t stack = 1; stack < stacks.size(); ++stack) {
    of_stack[stack] = joined.Child(of_stack[stacks.parent(stack)], labels[stacks.frame(stack)]);
  }
  const Children children(joined);
  std::vector<uint32_t> number(joined.size());
  parent.reserve(joined.size());
  label.reserve(joined.size());
  uint32_t node = CallTree::kRoot;
  while (true) {
    number[node] = static_cast<uint32_t>(parent.size());
    parent.push_back(number[joined.parent(node)]);
    label.push_back(joined.frame(node));
    if (children.first[node] != kNone) {
      node = children.first[node];
      continue;
    }
    while (node != CallTree::kRoot && children.next[node] == kNone) node = joined.parent(node);
    if (node == CallTree::kRoot) break;
    node = children.next[node];
  }
  for (uint32_t& stack : of_stack) stack = number[stack];
}

}  // namespace jprof
