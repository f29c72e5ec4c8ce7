// FakeWalker: an AsyncGetCallTrace whose answer the test chooses. Installed during its lifetime.
//
// It behaves as HotSpot's function does: at most `depth` frames, num_frames <= 0 for a reason, and
// it counts its calls. The frames of a stack of n are {bci: i, method: first_method + i}, callee
// first.
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

  // > 0: the number of frames; otherwise HotSpot's code for why there are none.
  std::atomic<int32_t> answer{1};
  std::atomic<uint64_t> first_method{0x1000};
  // The index of a frame of a native method (bci -3); -1 if there is none.
  std::atomic<int32_t> native_at{-1};
  // Called on the sampled thread in the middle of the walk, if set.
  std::atomic<void (*)()> during_walk{nullptr};

  std::atomic<uint64_t> calls{0};
  std::atomic<void*> last_env{nullptr};
  std::atomic<int32_t> last_depth{0};
};

}  // namespace jprof::test
