#include "formats/page/page_model.h"

namespace jprof {
namespace {

using profile::CallTree;
using profile::FrameKind;
using profile::kFrameKindCount;
using profile::Profile;
using profile::SampleKind;

static_assert(kFrameKindCount <= 16, "2^32 nodes times the frame kinds make a place");

std::vector<uint32_t> KindsOf(const Profile& profile) {
  std::vector<uint32_t> kinds;
  for (const uint32_t number : profile.KindsInOrder()) {
    const SampleKind& kind = profile.kinds[number];
    // A requested kind without samples is included, with the reason for their absence.
    if (kind.value != 0 || kind.request != 0) kinds.push_back(number);
  }
  return kinds;
}

}  // namespace

PageModel::PageModel(const Profile& from, const profile::SampleTable& samples)
    : profile(from),
      table(samples),
      frames(from),
      threads(from, samples),
      states(from, samples),
      tree(from.stacks, frames.of_frame),
      lines(from, frames.of_frame, tree),
      kinds(KindsOf(from)) {}

uint64_t PageModel::PlaceOf(uint32_t stack) const {
  const uint32_t frame = profile.stacks.frame(stack);
  const FrameKind kind =
      stack == CallTree::kRoot ? FrameKind::kMarker : profile.frames()[frame].kind;
  const uint32_t node = lines.IsEmpty() ? tree.of_stack[stack] : lines.node_of_stack(stack);
  return uint64_t{node} * kFrameKindCount + static_cast<uint64_t>(kind);
}

}  // namespace jprof
