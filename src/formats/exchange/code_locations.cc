#include "formats/exchange/code_locations.h"

namespace jprof {

using profile::CallTree;
using profile::FrameKind;

CodeLocations::CodeLocations(const profile::Profile& profile)
    : profile_(profile), locations_{{0, 0, 0}}, of_stack_(profile.stacks.size()) {
  KeyMap numbers;  // outer location and frame -> location
  for (uint32_t stack = 1; stack < of_stack_.size(); ++stack) {
    const uint32_t frame = profile.stacks.frame(stack);
    const bool is_inlined = profile.frames()[frame].kind == FrameKind::kInlined;
    const uint32_t outer = is_inlined ? of_stack_[profile.stacks.parent(stack)] : 0;
    uint32_t& number = numbers.At(uint64_t{outer} << 32 | frame);
    if (number == 0) {
      number = static_cast<uint32_t>(locations_.size());
      locations_.push_back({outer, frame, locations_[outer].depth + 1});
    }
    of_stack_[stack] = number;
  }
}

}  // namespace jprof
