#include "profile/analysis/allocation_site.h"

#include "profile/class_text.h"

namespace jprof::profile {

std::optional<uint32_t> AllocationSiteOf(const Profile& profile, uint32_t stack) {
  std::optional<uint32_t> innermost;
  for (uint32_t node = stack; node != CallTree::kRoot; node = profile.stacks.parent(node)) {
    const ProfileFrame& frame = profile.frames()[profile.stacks.frame(node)];
    if (frame.kind == FrameKind::kClass) continue;
    if (!IsOfJdk(profile.texts[profile.methods()[frame.method].owner])) return frame.method;
    if (!innermost) innermost = frame.method;
  }
  return innermost;
}

}  // namespace jprof::profile
