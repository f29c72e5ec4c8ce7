// FrameSink: collects the frames of a walk, callee first. If there are too many frames, it keeps
// the first and the last ones, and between them an outcome frame [frames left out]. If a RootBudget
// ends the walk, the last frame is the outcome frame [root not walked].
//
// Async-signal-safe.
#pragma once

#include <cstdint>

#include "sigsafe/base/check.h"
#include "sigsafe/stack/frame.h"
#include "sigsafe/stack/root_budget.h"

namespace jprof {

class FrameSink {
 public:
  // Keeps at most `depth` frames. If the walk has more, the last root_depth of the kept frames are
  // the outcome frame and, after it, the last frames of the walk. `budget` bounds the walk; nullptr
  // if the walk is not bounded. `methods` gets the Method of each frame; nullptr if that is not
  // needed. REQUIRES: `frames` and `methods` have room for `depth` frames; root_depth < depth.
  FrameSink(Frame* frames, uint32_t depth, uint32_t root_depth, RootBudget* budget = nullptr,
            uint64_t* methods = nullptr)
      : frames_(frames),
        methods_(methods),
        leaf_depth_(depth - root_depth),
        root_depth_(root_depth),
        budget_(budget),
        most_(budget == nullptr ? kNoBound : budget->leaf_frames()) {
    JPROF_CHECK(root_depth < depth);
  }

  // Adds a frame, and the address of its Method if it has one. Returns false if further frames are
  // not kept, so that the walk has to end.
  bool Push(const Frame& frame, uint64_t method = 0) {
    if (pushed_ == most_ && !RequestMoreFrames()) return false;
    const uint32_t place = pushed_++;
    if (place < leaf_depth_) {
      Set(place, frame, method);
      return true;
    }
    return PushRoot(place, frame, method);
  }

  // Puts the kept frames in order and returns their number. Called once, after the last Push.
  uint32_t Finish();

  bool empty() const { return pushed_ == 0; }

  // True if frames are missing. Called after Finish.
  bool truncated() const { return lacks_root_ || pushed_ > leaf_depth_ + root_depth_; }

  // True if the budget has ended the walk.
  bool lacks_root() const { return lacks_root_; }

 private:
  static constexpr uint32_t kNoBound = 0xffffffff;

  // Asks the budget, once, for frames beyond the leaf. Returns false if the walk has to end.
  bool RequestMoreFrames();

  // Makes [root not walked] the last frame, and returns the number of kept frames.
  uint32_t FinishWithoutRoot();

  // Adds a frame after the first leaf_depth_ frames.
  bool PushRoot(uint32_t place, const Frame& frame, uint64_t method);

  void Set(uint32_t place, const Frame& frame, uint64_t method) {
    frames_[place] = frame;
    if (methods_ != nullptr) methods_[place] = method;
  }

  Frame* const frames_;
  uint64_t* const methods_;
  const uint32_t leaf_depth_;
  const uint32_t root_depth_;  // size of the ring after the first leaf_depth_ frames
  RootBudget* budget_;         // nullptr if there is none, and after it has been asked
  uint32_t most_;              // number of frames after which more have to be requested
  uint32_t pushed_ = 0;
  bool lacks_root_ = false;
};

}  // namespace jprof
