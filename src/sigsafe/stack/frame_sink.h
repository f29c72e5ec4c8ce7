// FrameSink: where a walk puts its frames, callee first, and which of them are kept when there are
// too many: the first ones, and the last ones below a frame that says that some are missing.
//
// Async-signal-safe.
#pragma once

#include <cstdint>

#include "sigsafe/base/check.h"
#include "sigsafe/stack/frame.h"

namespace jprof {

class FrameSink {
 public:
  // Keeps `depth` frames at most, `root_depth` of them (the frame that says so included) at the
  // root. REQUIRES: room for `depth` frames; root_depth < depth.
  FrameSink(Frame* frames, uint32_t depth, uint32_t root_depth)
      : frames_(frames), leaf_depth_(depth - root_depth), root_depth_(root_depth) {
    JPROF_CHECK(root_depth < depth);
  }

  // False: no frame will be kept any more. The walk may end.
  bool Push(const Frame& frame) {
    const uint32_t place = pushed_++;
    if (place < leaf_depth_) {
      frames_[place] = frame;
      return true;
    }
    return PushRoot(place, frame);
  }

  // Puts what was kept in order. Returns the number of frames; once, after the last Push.
  uint32_t Finish();

  bool empty() const { return pushed_ == 0; }

  // Whether frames are missing. After Finish.
  bool truncated() const { return pushed_ > leaf_depth_ + root_depth_; }

 private:
  // Behind the first ones.
  bool PushRoot(uint32_t place, const Frame& frame);

  Frame* const frames_;
  const uint32_t leaf_depth_;
  const uint32_t root_depth_;  // a ring behind the first ones
  uint32_t pushed_ = 0;
};

}  // namespace jprof
