#include "sigsafe/stack/frame_sink.h"

#include <gtest/gtest.h>

#include <string>

#include "sigsafe/stack/walk_outcome.h"

namespace jprof {
namespace {

// What is kept of a walk of `walked` frames 0, 1, 2, ...: "0 1 ... 8 9", "..." where some are left
// out.
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

TEST(FrameSinkTest, ADeeperOneKeepsItsLeafAndItsRoot) {
  EXPECT_EQ(Kept(6, 5, 2), "0 1 2 ... 5 cut");
  EXPECT_EQ(Kept(100, 5, 2), "0 1 2 ... 99 cut");
  EXPECT_EQ(Kept(101, 6, 4), "0 1 ... 98 99 100 cut");
}

TEST(FrameSinkTest, WithoutARootTheWalkEndsWhereItIsFull) {
  EXPECT_EQ(Kept(100, 3, 0), "0 1 2 cut");
  EXPECT_EQ(Kept(3, 3, 0), "0 1 2 whole");
}

}  // namespace
}  // namespace jprof
