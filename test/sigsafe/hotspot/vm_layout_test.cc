#include "sigsafe/hotspot/vm_layout.h"

#include <gtest/gtest.h>

#include <cstring>

namespace jprof {
namespace {

// A JavaThread and its OSThread as bytes, with fields at offsets of our choice.
class VmLayoutTest : public testing::Test {
 protected:
  VmLayoutTest() {
    layout_.thread_osthread = 40;
    layout_.osthread_thread_id = 12;
    PointTo(os_thread_);
    SetTid(4711);
  }

  void PointTo(const void* os_thread) { memcpy(java_thread_ + 40, &os_thread, sizeof os_thread); }
  void SetTid(int32_t tid) { memcpy(os_thread_ + 12, &tid, sizeof tid); }

  VmLayout layout_;
  alignas(8) char java_thread_[64] = {};
  alignas(8) char os_thread_[32] = {};
};

TEST_F(VmLayoutTest, FollowsTheThreadToItsKernelThreadId) {
  EXPECT_EQ(layout_.ThreadIdOf(java_thread_), Tid{4711});
}

TEST_F(VmLayoutTest, AFieldTheJvmDoesNotExportGivesNothing) {
  layout_.osthread_thread_id.reset();
  EXPECT_EQ(layout_.ThreadIdOf(java_thread_), std::nullopt);
  EXPECT_EQ(VmLayout().ThreadIdOf(java_thread_), std::nullopt);
}

TEST_F(VmLayoutTest, StalePointersGiveNothing) {
  EXPECT_EQ(layout_.ThreadIdOf(nullptr), std::nullopt);
  EXPECT_EQ(layout_.ThreadIdOf(reinterpret_cast<void*>(0x10)), std::nullopt);
  PointTo(nullptr);
  EXPECT_EQ(layout_.ThreadIdOf(java_thread_), std::nullopt);
  PointTo(reinterpret_cast<void*>(0x10));
  EXPECT_EQ(layout_.ThreadIdOf(java_thread_), std::nullopt);
}

TEST_F(VmLayoutTest, NumbersNoKernelGivesToAThreadAreRefused) {
  for (const int32_t tid : {0, -1, (1 << 22) + 1}) {
    SetTid(tid);
    EXPECT_EQ(layout_.ThreadIdOf(java_thread_), std::nullopt) << tid;
  }
}

}  // namespace
}  // namespace jprof
