// FakeWalker: an AsyncGetCallTrace whose answer the test chooses. It is installed while it exists.
//
// It behaves as HotSpot's function does: it stores at most `depth` frames, or sets num_frames to a
// code <= 0. In a stack of n frames, frame i (from the callee) is {bci: i, method: first_method +
// i}. It also counts its calls.
#pragma once

#include <atomic>
#include <cstdint>

namespace jprof::test {

class FakeWalker {
 public:
  FakeWalker();
  ~FakeWalker();
  FakeWalker(const FakeWalker&) = delete;
  FakeWalker& operator=(const FakeWalker&) = delete;

  // The number of frames if positive; otherwise HotSpot's code for why there are none.
  std::atomic<int32_t> answer{1};
  std::atomic<uint64_t> first_method{0x1000};
  // The index of a frame of a native method (bci -3); -1 if there is none.
  std::atomic<int32_t> native_at{-1};
  // If set, the walker calls this function on the sampled thread in the middle of the walk.
  std::atomic<void (*)()> during_walk{nullptr};

  std::atomic<uint64_t> calls{0};
  std::atomic<void*> last_env{nullptr};
  std::atomic<int32_t> last_depth{0};
};

}  // namespace jprof::test
