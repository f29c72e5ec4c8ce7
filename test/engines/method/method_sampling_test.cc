#include "engines/method/method_sampling.h"

#include <gtest/gtest.h>

#include <vector>

namespace jprof {
namespace {

constexpr int64_t kVirtualThread = 7;

constexpr uintptr_t kSp = 0x7f0000400000;

EndedCall Call(Nanos start_ns, Nanos end_ns, uintptr_t sp = kSp) {
  return {start_ns, static_cast<uint64_t>(end_ns - start_ns), sp};
}

class MethodSamplingTest : public testing::Test {
 protected:
  void Record(const EndedCall& call, bool lacks_root, int64_t virtual_thread = 0) {
    const Stack stack{nullptr, 0, lacks_root, false, lacks_root};
    MethodSampling(1, {}, call).OnRecorded(thread_, {nullptr, &stack, virtual_thread});
  }
  static uint32_t OwnFrames(const std::vector<Frame>& frames) {
    const EndedCall call = Call(1000, 2000);
    return MethodSampling(1, {}, call)
        .OwnFrames({frames.data(), static_cast<uint32_t>(frames.size()), false});
  }
  bool HasShortLeaf(const EndedCall& call, int64_t virtual_thread = 0) const {
    return call.LeafFrames(thread_, virtual_thread) < RootBudget::kLeafFrames;
  }

  ThreadSlot thread_{};
};

TEST_F(MethodSamplingTest, FramesOfTheProbeAndTheMethodAreLeftOut) {
  const Frame slow{1, -1, FrameKind::kJavaNative};
  const Frame other{2, 3, FrameKind::kInterpreted};
  EXPECT_EQ(OwnFrames({slow, other, other, other, other}), 4u);
  EXPECT_EQ(OwnFrames({slow, other, other, other}), 0u) << "the caller is missing";
  EXPECT_EQ(OwnFrames({OutcomeFrame(WalkOutcome::kNoWalker)}), 0u);
  EXPECT_EQ(OwnFrames({other, other, other, other, other}), 0u);
}

TEST_F(MethodSamplingTest, CallsAroundARootlessOneHaveAShortLeaf) {
  Record(Call(1000, 2000), true);
  EXPECT_TRUE(HasShortLeaf(Call(900, 2100)));
  EXPECT_TRUE(HasShortLeaf(Call(800, 2200)));
}

TEST_F(MethodSamplingTest, CallsFarUpTheStackFromARootlessOneHaveAWholeLeaf) {
  Record(Call(1000, 2000), true);
  EXPECT_TRUE(HasShortLeaf(Call(900, 2100, kSp + EndedCall::kNearBytes)));
  EXPECT_FALSE(HasShortLeaf(Call(900, 2100, kSp + EndedCall::kNearBytes + 1)));
  EXPECT_FALSE(HasShortLeaf(Call(900, 2100, kSp - 1)));
}

TEST_F(MethodSamplingTest, CallsAroundOneWithAWholeStackHaveAWholeLeaf) {
  Record(Call(1000, 2000), false);
  EXPECT_FALSE(HasShortLeaf(Call(900, 2100)));
}

TEST_F(MethodSamplingTest, LaterCallsHaveAWholeLeaf) {
  Record(Call(1000, 2000), true);
  EXPECT_FALSE(HasShortLeaf(Call(2000, 2100)));
}

TEST_F(MethodSamplingTest, CallsOfAnotherVirtualThreadHaveAWholeLeaf) {
  Record(Call(1000, 2000), true, kVirtualThread);
  EXPECT_TRUE(HasShortLeaf(Call(900, 2100), kVirtualThread));
  EXPECT_FALSE(HasShortLeaf(Call(900, 2100), kVirtualThread + 1));
  EXPECT_FALSE(HasShortLeaf(Call(900, 2100)));
}

}  // namespace
}  // namespace jprof
