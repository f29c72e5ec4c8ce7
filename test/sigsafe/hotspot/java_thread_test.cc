#include "sigsafe/hotspot/java_thread.h"

#include <gtest/gtest.h>

#include <cstring>

namespace jprof {
namespace {

// Lays out a JavaThread and its OSThread in bytes, with fields at chosen offsets.
class JavaThreadTest : public testing::Test {
 protected:
  JavaThreadTest() {
    layout_.thread_osthread = {40, 8, true};
    layout_.osthread_thread_id = {12, 4, true};
    layout_.osthread_state = {16, 4, true};
    layout_.thread_stack_base = {0, 8, false};
    layout_.thread_stack_size = {8, 8, false};
    PointTo(os_thread_);
    SetTid(4711);
  }

  void PointTo(const void* os_thread) { memcpy(java_thread_ + 40, &os_thread, sizeof os_thread); }
  void SetTid(int32_t tid) { memcpy(os_thread_ + 12, &tid, sizeof tid); }

  void SetBounds(uint64_t base, uint64_t size) {
    memcpy(java_thread_, &base, sizeof base);
    memcpy(java_thread_ + 8, &size, sizeof size);
  }

  static uint64_t Address(const char* object) { return reinterpret_cast<uint64_t>(object); }
  std::optional<Tid> ThreadId() const { return SafeThreadIdOf(layout_, Address(java_thread_)); }

  HotspotLayout layout_{};
  alignas(8) char java_thread_[64] = {};
  alignas(8) char os_thread_[32] = {};
};

TEST_F(JavaThreadTest, FollowsTheThreadToItsKernelThreadId) { EXPECT_EQ(ThreadId(), Tid{4711}); }

TEST_F(JavaThreadTest, AMissingFieldGivesNothing) {
  layout_.osthread_thread_id = {};
  EXPECT_EQ(ThreadId(), std::nullopt);
  EXPECT_EQ(SafeThreadIdOf(HotspotLayout(), Address(java_thread_)), std::nullopt);
}

TEST_F(JavaThreadTest, StalePointersGiveNothing) {
  EXPECT_EQ(SafeThreadIdOf(layout_, 0), std::nullopt);
  EXPECT_EQ(SafeThreadIdOf(layout_, 0x10), std::nullopt);
  PointTo(nullptr);
  EXPECT_EQ(ThreadId(), std::nullopt);
  PointTo(reinterpret_cast<void*>(0x10));
  EXPECT_EQ(ThreadId(), std::nullopt);
}

TEST_F(JavaThreadTest, RefusesInvalidThreadIds) {
  for (const int32_t tid : {0, -1, (1 << 22) + 1}) {
    SetTid(tid);
    EXPECT_EQ(ThreadId(), std::nullopt) << tid;
  }
}

TEST_F(JavaThreadTest, TheStackLiesBelowItsBase) {
  SetBounds(0x9000, 0x1000);
  StackBounds loaded;
  ASSERT_TRUE(LoadStackBounds(layout_, Address(java_thread_), &loaded));
  for (const StackBounds& stack : {loaded, SafeStackBoundsOf(layout_, Address(java_thread_))}) {
    EXPECT_EQ(stack.low, 0x8000u);
    EXPECT_EQ(stack.high, 0x9000u);
  }
}

TEST_F(JavaThreadTest, RefusesAStackThatReachesBelowZero) {
  SetBounds(0x1000, 0x1000);
  StackBounds loaded;
  EXPECT_FALSE(LoadStackBounds(layout_, Address(java_thread_), &loaded));
  EXPECT_EQ(SafeStackBoundsOf(layout_, Address(java_thread_)).high, 0u);
  EXPECT_EQ(SafeStackBoundsOf(layout_, 0x10).high, 0u);
}

TEST_F(JavaThreadTest, ReadsTheWaitStateWithAndWithoutFaultHandlers) {
  const int32_t state = kCondvarWait;
  memcpy(os_thread_ + 16, &state, sizeof state);
  for (const LoadFaults faults : {LoadFaults::kFatal, LoadFaults::kCaught}) {
    EXPECT_EQ(WaitStateOf(layout_, faults, Address(java_thread_)), kCondvarWait);
  }
  PointTo(reinterpret_cast<void*>(0x10));
  EXPECT_EQ(WaitStateOf(layout_, LoadFaults::kFatal, Address(java_thread_)), std::nullopt);
}

}  // namespace
}  // namespace jprof
