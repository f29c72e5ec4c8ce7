// FrameSink: where a walk puts its frames, callee first.
//
// Async-signal-safe.
#pragma once

#include <cstdint>

#include "sigsafe/stack/frame.h"

namespace jprof {

class FrameSink {
 public:
  // REQUIRES: room for `capacity` frames.
  FrameSink(Frame* frames, uint32_t capacity) : frames_(frames), capacity_(capacity) {}

  // False: there is no room, the frame is left out.
  bool Push(const Frame& frame) {
    if (count_ == capacity_) return false;
    frames_[count_++] = frame;
    return true;
  }

  uint32_t count() const { return count_; }

 private:
  Frame* const frames_;
  const uint32_t capacity_;
  uint32_t count_ = 0;
};

}  // namespace jprof
