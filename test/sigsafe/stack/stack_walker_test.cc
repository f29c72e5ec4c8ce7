#include "sigsafe/stack/stack_walker.h"

#include <gtest/gtest.h>
#include <ucontext.h>

#include <vector>

#include "sigsafe/os/registers.h"
#include "support/fake_walker.h"
#include "support/guarded_page.h"
#include "support/signal_body.h"

namespace jprof {
namespace {

using test::FakeWalker;
using test::GuardedPage;
using test::InSignal;

constexpr uint32_t kWalkDepth = 8;

class StackWalkerTest : public testing::Test {
 protected:
  StackWalkerTest() { EXPECT_TRUE(buffers_.Claim(&buffer_)); }

  // Returns the stack of this thread, walked in a signal handler.
  Stack Walk(void* jni_env) {
    Stack stack{};
    InSignal([&](void* ucontext) {
      stack = WalkStack(TheWalkEnvironment(), {jni_env, {}, WalkUntil::kThreadEntry}, ucontext,
                        buffer_);
      pc_ = ProgramCounter(static_cast<ucontext_t*>(ucontext));
    });
    return stack;
  }

  int jni_env_ = 0;
  Pc pc_{0};  // the address at which the last walk's signal interrupted the thread
  FakeWalker walker_;
  GuardedPage page_{WalkBuffers::RegionSize(kWalkDepth)};
  WalkBuffers buffers_{page_.region(), kWalkDepth};
  WalkBuffer buffer_{};
};

TEST_F(StackWalkerTest, AThreadWithoutJniEnvYieldsItsAddressOnly) {
  const Stack stack = Walk(nullptr);
  ASSERT_EQ(stack.count, 1u);
  EXPECT_TRUE(stack.frames[0] == NativeFrame(pc_));
  EXPECT_FALSE(stack.truncated);
  EXPECT_EQ(walker_.calls, 0u);
}

TEST_F(StackWalkerTest, AJavaStackIsTakenCalleeFirstWithItsBytecodeIndexes) {
  walker_.answer = 3;
  const Stack stack = Walk(&jni_env_);
  EXPECT_EQ(walker_.last_env, &jni_env_);
  ASSERT_EQ(stack.count, 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(stack.frames[i] ==
                (Frame{0x1000u + static_cast<uint64_t>(i), i, FrameKind::kJava}));
  }
  EXPECT_FALSE(stack.truncated);
}

TEST_F(StackWalkerTest, ANativeMethodIsAKindAndNotABytecodeIndex) {
  walker_.answer = 2;
  walker_.native_at = 0;
  const Stack stack = Walk(&jni_env_);
  EXPECT_TRUE(stack.frames[0] == (Frame{0x1000, -1, FrameKind::kJavaNative}));
  EXPECT_TRUE(stack.frames[1] == (Frame{0x1001, 1, FrameKind::kJava}));
}

TEST_F(StackWalkerTest, EachRefusalYieldsTheInterruptedAddressAndItsReason) {
  for (int32_t code = 0; code >= -12; --code) {
    walker_.answer = code;
    const Stack stack = Walk(&jni_env_);
    ASSERT_EQ(stack.count, 2u) << code;
    EXPECT_TRUE(stack.frames[0] == NativeFrame(pc_)) << code;
    EXPECT_TRUE(stack.frames[1] == OutcomeFrame(OutcomeOfCode(code))) << code;
    EXPECT_FALSE(stack.truncated) << code;
  }
}

TEST_F(StackWalkerTest, TruncatesAStackOnlyIfItIsTooDeep) {
  for (const uint32_t deep : {kWalkDepth - 1, kWalkDepth, kWalkDepth + 1, 3 * kWalkDepth}) {
    walker_.answer = static_cast<int32_t>(deep);
    const Stack stack = Walk(&jni_env_);
    EXPECT_EQ(stack.truncated, deep > kWalkDepth) << deep;
    EXPECT_EQ(stack.count, std::min(deep, kWalkDepth)) << deep;
    EXPECT_EQ(stack.frames[0].id, 0x1000u) << "the leaf is kept";
  }
  EXPECT_EQ(walker_.last_depth, static_cast<int32_t>(kWalkDepth + 1));
}

TEST_F(StackWalkerTest, ADepthOfOneStillHasRoomForAddressAndReason) {
  const GuardedPage page(WalkBuffers::RegionSize(1));
  WalkBuffers small(page.region(), 1);
  for (size_t i = 0; i < WalkBuffers::kBuffers; ++i) ASSERT_TRUE(small.Claim(&buffer_));
  walker_.answer = -3;
  EXPECT_EQ(Walk(&jni_env_).count, 2u);
  walker_.answer = 5;
  EXPECT_EQ(Walk(&jni_env_).count, 1u);
}

TEST(StackWalkerWithoutWalkerTest, TheStackHasThatReason) {
  const GuardedPage page(WalkBuffers::RegionSize(kWalkDepth));
  WalkBuffers buffers(page.region(), kWalkDepth);
  WalkBuffer buffer;
  ASSERT_TRUE(buffers.Claim(&buffer));
  int jni_env = 0;
  InSignal([&](void* ucontext) {
    const Stack stack =
        WalkStack(WalkEnvironment(), {&jni_env, {}, WalkUntil::kThreadEntry}, ucontext, buffer);
    ASSERT_EQ(stack.count, 2u);
    EXPECT_TRUE(stack.frames[1] == OutcomeFrame(WalkOutcome::kNoWalker));
  });
}

}  // namespace
}  // namespace jprof
