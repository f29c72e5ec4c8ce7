#include "sigsafe/stack/frame_sink.h"

#include <algorithm>

#include "sigsafe/stack/walk_outcome.h"

namespace jprof {

bool FrameSink::PushRoot(uint32_t place, const Frame& frame) {
  if (root_depth_ == 0) return false;
  frames_[leaf_depth_ + (place - leaf_depth_) % root_depth_] = frame;
  return true;
}

uint32_t FrameSink::Finish() {
  if (!truncated()) return pushed_;
  if (root_depth_ != 0) {
    Frame* const ring = frames_ + leaf_depth_;
    std::rotate(ring, ring + (pushed_ - leaf_depth_) % root_depth_, ring + root_depth_);
    ring[0] = OutcomeFrame(WalkOutcome::kLeftOut);
  }
  return leaf_depth_ + root_depth_;
}

}  // namespace jprof
