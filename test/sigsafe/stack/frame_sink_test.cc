#include "sigsafe/stack/frame_sink.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "sigsafe/os/clock.h"
#include "sigsafe/stack/frame.h"

namespace jprof {
namespace {

// Returns the frames that are kept of a walk of `walked` frames 0, 1, 2, ..., such as "0 1 ... 8 9
// cut". "..." stands for the outcome frame in place of frames that are left out.
std::string Kept(uint32_t walked, uint32_t depth, uint32_t root_depth) {
  Frame frames[16];
  FrameSink sink(frames, depth, root_depth);
  for (uint32_t i = 0; i < walked && sink.Push(NativeFrame(Pc{i})); ++i) {
  }
  const uint32_t count = sink.Finish();
  std::string text;
  for (uint32_t i = 0; i < count; ++i) {
    const bool is_gap = frames[i].kind == FrameKind::kOutcome;
    text += (is_gap ? std::string("...") : std::to_string(frames[i].id)) + " ";
  }
  return text + (sink.truncated() ? "cut" : "whole");
}

TEST(FrameSinkTest, AStackThatFitsIsWhole) {
  EXPECT_EQ(Kept(0, 5, 2), "whole");
  EXPECT_EQ(Kept(3, 5, 2), "0 1 2 whole");
  EXPECT_EQ(Kept(5, 5, 2), "0 1 2 3 4 whole");
}

TEST(FrameSinkTest, ADeeperStackKeepsItsLeafAndItsRoot) {
  EXPECT_EQ(Kept(6, 5, 2), "0 1 2 ... 5 cut");
  EXPECT_EQ(Kept(100, 5, 2), "0 1 2 ... 99 cut");
  EXPECT_EQ(Kept(101, 6, 4), "0 1 ... 98 99 100 cut");
}

TEST(FrameSinkTest, WithoutARootTheWalkEndsWhereItIsFull) {
  EXPECT_EQ(Kept(100, 3, 0), "0 1 2 cut");
  EXPECT_EQ(Kept(3, 3, 0), "0 1 2 whole");
}

// Returns the frames that are kept of a walk of `walked` frames whose budget grants nothing beyond
// the `leaf` frames of the leaf. "?" stands for the outcome frame of the missing root.
std::string KeptOfLeaf(uint32_t leaf, uint32_t walked, uint32_t depth, uint32_t root_depth) {
  Frame frames[16];
  // Empties the accounts of the process and the thread, so that no frames beyond the leaf are
  // granted.
  ThreadSlot thread{};
  thread.walk_account_ns = std::numeric_limits<Nanos>::max() / 2;
  for (bool is_granted = true; is_granted;) {
    RootBudget spent(thread, 1);
    is_granted = spent.GrantFrames() != 0;
    const Nanos end_ns = ThreadCpuNanos() + 50'000'000;
    while (is_granted && ThreadCpuNanos() < end_ns) {
    }
    spent.Pay();
  }
  RootBudget budget(thread, leaf);
  FrameSink sink(frames, depth, root_depth, &budget);
  for (uint32_t i = 0; i < walked && sink.Push(NativeFrame(Pc{i})); ++i) {
  }
  const uint32_t count = sink.Finish();
  EXPECT_LE(count, depth);
  EXPECT_EQ(sink.lacks_root(), sink.truncated());
  std::string text;
  for (uint32_t i = 0; i < count; ++i) {
    const bool is_mark = frames[i].kind == FrameKind::kOutcome;
    if (is_mark) {
      EXPECT_EQ(frames[i].id, static_cast<uint64_t>(WalkOutcome::kRootNotWalked));
    }
    text += (is_mark ? std::string("?") : std::to_string(frames[i].id)) + " ";
  }
  return text;
}

TEST(FrameSinkTest, AStackWithinTheLeafIsWhole) {
  EXPECT_EQ(KeptOfLeaf(3, 2, 5, 2), "0 1 ");
  EXPECT_EQ(KeptOfLeaf(3, 3, 5, 2), "0 1 2 ");
}

TEST(FrameSinkTest, MarksTheRootBeyondTheLeafAsMissing) {
  EXPECT_EQ(KeptOfLeaf(3, 4, 5, 2), "0 1 2 ? ");
  EXPECT_EQ(KeptOfLeaf(4, 100, 5, 2), "0 1 2 3 ? ");
  EXPECT_EQ(KeptOfLeaf(1, 100, 5, 0), "0 ? ");
}

TEST(FrameSinkTest, KeepsTheFirstFramesOfALeafThatIsTooDeep) {
  EXPECT_EQ(KeptOfLeaf(5, 100, 5, 2), "0 1 2 ? ");
  EXPECT_EQ(KeptOfLeaf(9, 100, 5, 2), "0 1 2 ? ");
  EXPECT_EQ(KeptOfLeaf(5, 100, 5, 0), "0 1 2 3 ? ");
}

TEST(FrameSinkTest, AWalkThatIsPaidForGoesToTheRoot) {
  Frame frames[16];
  ThreadSlot thread{};
  thread.walk_account_ns = ThreadCpuNanos() - RootBudget::kThreadShare * RootBudget::kMostNs;
  RootBudget budget(thread, 2);
  FrameSink sink(frames, 8, 2, &budget);
  for (uint32_t i = 0; i < 8; ++i) EXPECT_TRUE(sink.Push(NativeFrame(Pc{i}))) << i;
  budget.Pay();
  EXPECT_EQ(sink.Finish(), 8u);
  EXPECT_FALSE(sink.lacks_root());
  EXPECT_FALSE(sink.truncated());
}

}  // namespace
}  // namespace jprof
