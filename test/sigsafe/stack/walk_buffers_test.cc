#include "sigsafe/stack/walk_buffers.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "support/guarded_page.h"
#include "support/signal_body.h"

namespace jprof {
namespace {

using test::GuardedPage;
using test::InSignal;

constexpr uint32_t kDepth = 5;

class WalkBuffersTest : public testing::Test {
 protected:
  GuardedPage page_{WalkBuffers::RegionSize(kDepth)};
  WalkBuffers buffers_{page_.region(), kDepth};
};

TEST_F(WalkBuffersTest, BuffersAreLimitedDisjointAndOfFullDepth) {
  std::vector<WalkBuffer> taken(WalkBuffers::kBuffers);
  bool all = true;
  bool one_more = true;
  InSignal([&] {
    for (WalkBuffer& buffer : taken) all = buffers_.Claim(&buffer) && all;
    WalkBuffer extra;
    one_more = buffers_.Claim(&extra);
  });
  EXPECT_TRUE(all);
  EXPECT_FALSE(one_more);
  for (size_t i = 0; i < taken.size(); ++i) {
    memset(taken[i].java, static_cast<int>(i), (kDepth + 1) * sizeof(AsgctFrame));
    memset(taken[i].frames, static_cast<int>(i), (kDepth + 1) * sizeof(Frame));
  }
  for (size_t i = 0; i < taken.size(); ++i) {
    const auto* java = reinterpret_cast<const uint8_t*>(taken[i].java);
    const auto* frames = reinterpret_cast<const uint8_t*>(taken[i].frames);
    for (size_t byte = 0; byte < (kDepth + 1) * sizeof(Frame); ++byte) {
      ASSERT_EQ(java[byte], i);
      ASSERT_EQ(frames[byte], i);
    }
  }
}

TEST_F(WalkBuffersTest, AReleasedBufferCanBeClaimedAgain) {
  WalkBuffer buffer;
  for (size_t i = 0; i < WalkBuffers::kBuffers; ++i) ASSERT_TRUE(buffers_.Claim(&buffer));
  buffers_.Release(buffer);
  WalkBuffer again;
  ASSERT_TRUE(buffers_.Claim(&again));
  EXPECT_EQ(again.slot, buffer.slot);
}

TEST_F(WalkBuffersTest, ANewDepthAppliesToLaterWalks) {
  WalkBuffer before;
  WalkBuffer after;
  buffers_.Claim(&before);
  buffers_.SetDepth(2, 1);
  buffers_.Claim(&after);
  EXPECT_EQ(before.depth, kDepth);
  EXPECT_EQ(after.depth, 2u);
  EXPECT_EQ(before.root_depth, 0u);
  EXPECT_EQ(after.root_depth, 1u);
  EXPECT_EQ(buffers_.capacity(), kDepth);
}

}  // namespace
}  // namespace jprof
