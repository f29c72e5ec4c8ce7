#include "sigsafe/stack/walk_scope.h"

#include <gtest/gtest.h>

#include <vector>

#include "stack/walk_environments.h"
#include "support/guarded_page.h"

namespace jprof {
namespace {

using test::GuardedPage;

constexpr uint32_t kDepth = 3;

void UseBuffers(WalkBuffers* buffers) {
  ChangeWalkEnvironment([buffers](WalkEnvironment& next) { next.buffers = buffers; });
}

class WalkScopeTest : public testing::Test {
 protected:
  WalkScopeTest() { UseBuffers(&buffers_); }
  ~WalkScopeTest() override { UseBuffers(nullptr); }

  GuardedPage page_{WalkBuffers::RegionSize(kDepth)};
  WalkBuffers buffers_{page_.region(), kDepth};
};

TEST_F(WalkScopeTest, ABufferIsClaimedWhileItLives) {
  {
    const WalkScope scope;
    ASSERT_TRUE(scope);
    EXPECT_EQ(&scope.environment(), &TheWalkEnvironment());
    EXPECT_EQ(scope.buffer().depth, kDepth);
    EXPECT_TRUE(buffers_.AnyTaken());
  }
  EXPECT_FALSE(buffers_.AnyTaken());
}

TEST_F(WalkScopeTest, WithoutABufferNothingMayBeWalked) {
  std::vector<WalkBuffer> taken(WalkBuffers::kBuffers);
  for (WalkBuffer& buffer : taken) ASSERT_TRUE(buffers_.Claim(&buffer));
  EXPECT_FALSE(WalkScope());
  for (const WalkBuffer& buffer : taken) buffers_.Release(buffer);
  EXPECT_TRUE(WalkScope());
  UseBuffers(nullptr);
  EXPECT_FALSE(WalkScope());
}

TEST_F(WalkScopeTest, TheBufferGoesBackToTheSetItIsFrom) {
  const GuardedPage page(WalkBuffers::RegionSize(kDepth));
  WalkBuffers others(page.region(), kDepth);
  {
    const WalkScope scope;
    UseBuffers(&others);
    EXPECT_TRUE(buffers_.AnyTaken());
    EXPECT_FALSE(others.AnyTaken());
  }
  EXPECT_FALSE(buffers_.AnyTaken());
}

TEST_F(WalkScopeTest, EqualEnvironmentsAreOneAndNoneChanges) {
  const WalkEnvironment& first = TheWalkEnvironment();
  ChangeWalkEnvironment([](WalkEnvironment& next) { next.mode = StackMode::kNo; });
  const WalkEnvironment& second = TheWalkEnvironment();
  EXPECT_NE(&first, &second);
  EXPECT_EQ(first.mode, StackMode::kAgct);
  EXPECT_EQ(second.mode, StackMode::kNo);
  EXPECT_EQ(second.buffers, &buffers_);
  ChangeWalkEnvironment([](WalkEnvironment& next) { next.mode = StackMode::kAgct; });
  EXPECT_EQ(&TheWalkEnvironment(), &first);
}

}  // namespace
}  // namespace jprof
