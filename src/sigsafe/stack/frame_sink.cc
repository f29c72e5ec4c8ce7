#include "sigsafe/stack/frame_sink.h"

#include <algorithm>
#include <utility>

#include "sigsafe/stack/frame.h"

namespace jprof {

bool FrameSink::PushRoot(uint32_t place, const Frame& frame, uint64_t method) {
  if (root_depth_ == 0) return false;
  Set(leaf_depth_ + (place - leaf_depth_) % root_depth_, frame, method);
  return true;
}

bool FrameSink::RequestMoreFrames() {
  RootBudget* const budget = std::exchange(budget_, nullptr);
  const uint32_t more = budget == nullptr ? 0 : budget->GrantFrames();
  most_ += more;
  lacks_root_ = more == 0;
  return !lacks_root_;
}

// Frames in the ring are from the middle of the stack, because the root was not reached. They are
// kept only if the ring has not overwritten any frame.
uint32_t FrameSink::FinishWithoutRoot() {
  const uint32_t depth = leaf_depth_ + root_depth_;
  const uint32_t kept = pushed_ < depth ? pushed_ : std::min(leaf_depth_, depth - 1);
  frames_[kept] = OutcomeFrame(WalkOutcome::kRootNotWalked);
  return kept + 1;
}

uint32_t FrameSink::Finish() {
  if (lacks_root_) return FinishWithoutRoot();
  if (!truncated()) return pushed_;
  if (root_depth_ != 0) {
    const uint32_t first = (pushed_ - leaf_depth_) % root_depth_;
    Frame* const ring = frames_ + leaf_depth_;
    std::rotate(ring, ring + first, ring + root_depth_);
    ring[0] = OutcomeFrame(WalkOutcome::kLeftOut);
    if (methods_ != nullptr) {
      uint64_t* const methods = methods_ + leaf_depth_;
      std::rotate(methods, methods + first, methods + root_depth_);
    }
  }
  return leaf_depth_ + root_depth_;
}

}  // namespace jprof
