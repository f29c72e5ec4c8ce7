// FrameSink: collects the frames of a walk, callee first. Of too many frames it keeps the first and
// the last, and between them a frame that marks the gap.
//
// Async-signal-safe.
#pragma once

#include <cstdint>

#include "sigsafe/base/check.h"
#include "sigsafe/stack/frame.h"

namespace jprof {

class FrameSink {
 public:
  // Keeps at most `depth` frames, of them `root_depth` (including the mark of the gap) at the root.
  // REQUIRES: room for `depth` frames; root_depth < depth.
  FrameSink(Frame* frames, uint32_t depth, uint32_t root_depth)
      : frames_(frames), leaf_depth_(depth - root_depth), root_depth_(root_depth) {
    JPROF_CHECK(root_depth < depth);
  }

  // False: further frames are not kept. The walk may end.
  bool Push(const Frame& frame) {
    const uint32_t place = pushed_++;
    if (place < leaf_depth_) {
      frames_[place] = frame;
      return true;
    }
    return PushRoot(place, frame);
  }

  // Orders the kept frames and returns their number. Called once, after the last Push.
  uint32_t Finish();

  bool empty() const { return pushed_ == 0; }

  // Whether frames are missing. After Finish.
  bool truncated() const { return pushed_ > leaf_depth_ + root_depth_; }

 private:
  // Adds a frame behind the first leaf_depth_.
  bool PushRoot(uint32_t place, const Frame& frame);

  Frame* const frames_;
  const uint32_t leaf_depth_;
  const uint32_t root_depth_;  // a ring behind the first leaf_depth_ frames
  uint32_t pushed_ = 0;
};

}  // namespace jprof
