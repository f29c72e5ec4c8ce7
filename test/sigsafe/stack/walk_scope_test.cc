#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "sigsafe/stack/walk_environment.h"
#include "support/guarded_page.h"
#include "walking/walk_environments.h"

namespace jprof {
namespace {

using test::GuardedPage;

constexpr uint32_t kScopeDepth = 3;

void UseBuffers(WalkBuffers* buffers) {
  ChangeWalkEnvironment([buffers](WalkEnvironment& next) { next.buffers = buffers; });
}

class WalkScopeTest : public testing::Test {
 protected:
  WalkScopeTest() { UseBuffers(&buffers_); }
  ~WalkScopeTest() override { UseBuffers(nullptr); }

  GuardedPage page_{WalkBuffers::RegionSize(kScopeDepth)};
  WalkBuffers buffers_{page_.region(), kScopeDepth};
};

TEST_F(WalkScopeTest, ClaimsABufferWhileItLives) {
  {
    const WalkScope scope;
    ASSERT_TRUE(scope);
    EXPECT_EQ(&scope.environment(), &TheWalkEnvironment());
    EXPECT_EQ(scope.buffer().depth, kScopeDepth);
    EXPECT_TRUE(buffers_.AnyTaken());
  }
  EXPECT_FALSE(buffers_.AnyTaken());
}

TEST_F(WalkScopeTest, AllowsNoWalkWithoutABuffer) {
  std::vector<WalkBuffer> taken(WalkBuffers::kBuffers);
  for (WalkBuffer& buffer : taken) ASSERT_TRUE(buffers_.Claim(&buffer));
  EXPECT_FALSE(WalkScope());
  for (const WalkBuffer& buffer : taken) buffers_.Release(buffer);
  EXPECT_TRUE(WalkScope());
  UseBuffers(nullptr);
  EXPECT_FALSE(WalkScope());
}

TEST_F(WalkScopeTest, ReturnsTheBufferToTheBuffersOfItsEnvironment) {
  const GuardedPage page(WalkBuffers::RegionSize(kScopeDepth));
  WalkBuffers others(page.region(), kScopeDepth);
  {
    const WalkScope scope;
    UseBuffers(&others);
    EXPECT_TRUE(buffers_.AnyTaken());
    EXPECT_FALSE(others.AnyTaken());
  }
  EXPECT_FALSE(buffers_.AnyTaken());
}

// Changes the environment as Walking does when it removes its fault handlers. Each run uses other
// buffers than the previous run.
TEST_F(WalkScopeTest, KeepsFaultHandlersForWalksThatRelyOnThem) {
  constexpr int kRuns = 3000;
  const GuardedPage page(WalkBuffers::RegionSize(kScopeDepth));
  WalkBuffers others(page.region(), kScopeDepth);
  HotspotLayout layout{};
  ChangeWalkEnvironment([&](WalkEnvironment& next) { next.vm = &layout; });
  std::atomic<bool> is_caught{false};
  std::atomic<bool> is_over{false};
  std::atomic<int> uncaught{0};
  std::atomic<int> walks{0};
  std::vector<std::thread> walkers;
  for (int i = 0; i < 3; ++i) {
    walkers.emplace_back([&] {
      while (!is_over) {
        const WalkScope scope;
        if (!scope || scope.environment().faults != LoadFaults::kCaught) continue;
        walks.fetch_add(1);
        if (!is_caught) uncaught.fetch_add(1);
      }
    });
  }
  for (int run = 0; run < kRuns || walks < 1000; ++run) {
    WalkBuffers* const buffers = run % 2 == 0 ? &others : &buffers_;
    ChangeWalkEnvironment([&](WalkEnvironment& next) { next.buffers = buffers; });
    is_caught = true;
    ChangeWalkEnvironment([](WalkEnvironment& next) { next.faults = LoadFaults::kCaught; });
    ChangeWalkEnvironment([](WalkEnvironment& next) { next.faults = LoadFaults::kFatal; });
    while (buffers->AnyTaken()) std::this_thread::yield();
    is_caught = false;
  }
  is_over = true;
  for (std::thread& walker : walkers) walker.join();
  EXPECT_EQ(uncaught, 0);
  ChangeWalkEnvironment([](WalkEnvironment& next) { next.vm = nullptr; });
}

TEST_F(WalkScopeTest, EqualEnvironmentsAreOneObjectThatNeverChanges) {
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
