#include "sigsafe/hotspot/virtual_thread.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace jprof {
namespace {

constexpr int64_t kOwnId = 3;
constexpr int64_t kVirtualId = 42;

// Lays out a JavaThread that runs a virtual thread with a name. References are narrow, in units of
// 8 bytes.
class VirtualThreadTest : public testing::Test {
 protected:
  enum JavaThreadWord { kCurrentId = 1, kContinuation, kState, kCurrent, kEnv };
  static constexpr uint32_t kThreadId = 8, kThreadName = 16, kTextValue = 8, kTextCoder = 12;
  static constexpr uint32_t kArrayLength = 12;
  static constexpr int64_t kInVm = 6, kInJava = 8, kInNative = 4;

  VirtualThreadTest() {
    vm_.env_offset = 8 * kEnv;
    vm_.thread_current_id = {8 * kCurrentId, 8, true};
    vm_.thread_continuation = {8 * kContinuation, 8, true};
    vm_.mounted.thread_current = 8 * kCurrent;
    vm_.mounted.followable = {{8 * kState, 4, true}, kInJava, kInVm};
    vm_.mounted.references = {true, 3, Base(), nullptr, nullptr};
    vm_.names = {kThreadId, kThreadName, kTextValue, kTextCoder, kArrayLength, kArrayLength + 4};
    java_thread_[kCurrentId] = kVirtualId;
    java_thread_[kContinuation] = 1;
    java_thread_[kState] = kInJava;
    java_thread_[kCurrent] = reinterpret_cast<int64_t>(&root_);
    root_ = Address(thread_);
    Put(thread_ + kThreadId, kVirtualId);
    Refer(thread_ + kThreadName, text_);
    Refer(text_ + kTextValue, array_);
    SetName("worker-1", 0);
  }

  uint64_t Base() const { return reinterpret_cast<uint64_t>(heap_); }
  static uint64_t Address(const uint8_t* object) { return reinterpret_cast<uint64_t>(object); }
  template <typename T>
  static void Put(uint8_t* at, T value) {
    memcpy(at, &value, sizeof value);
  }
  void Refer(uint8_t* at, const uint8_t* object) {
    Put(at, static_cast<uint32_t>((Address(object) - Base()) >> 3));
  }
  void SetName(const std::string& bytes, uint8_t coder) {
    text_[kTextCoder] = coder;
    Put(array_ + kArrayLength, static_cast<int32_t>(bytes.size()));
    memcpy(array_ + kArrayLength + 4, bytes.data(), bytes.size());
  }

  const void* env() const { return &java_thread_[kEnv]; }
  int64_t Mounted() const { return MountedThreadId(vm_, faults_, env(), kOwnId); }
  std::string Name() {
    if (!CopyMountedThreadName(vm_, faults_, env(), kVirtualId, &name_)) return "unknown";
    return {name_.bytes, name_.size};
  }

  HotspotLayout vm_{};
  LoadFaults faults_ = LoadFaults::kCaught;
  int64_t java_thread_[8] = {};
  uint64_t root_ = 0;
  alignas(8) uint8_t heap_[1024] = {};
  uint8_t* const thread_ = heap_ + 64;
  uint8_t* const text_ = heap_ + 128;
  uint8_t* const array_ = heap_ + 256;
  ThreadNameBytes name_{};
};

TEST_F(VirtualThreadTest, ReadsTheIdOfTheMountedThread) {
  EXPECT_EQ(Mounted(), kVirtualId);
  java_thread_[kCurrentId] = kOwnId;
  EXPECT_EQ(Mounted(), 0);
}

TEST_F(VirtualThreadTest, NoThreadIsMountedOutsideTheContinuation) {
  java_thread_[kContinuation] = 0;
  EXPECT_EQ(Mounted(), 0);
}

TEST_F(VirtualThreadTest, AnUnknownThreadRunsNoVirtualThread) {
  EXPECT_EQ(MountedThreadId(vm_, faults_, env(), 0), 0);
  EXPECT_EQ(MountedThreadId(vm_, faults_, nullptr, kOwnId), 0);
}

TEST_F(VirtualThreadTest, ReadsTheIdFromTheHeapWhereThatIsSafe) {
  vm_.thread_current_id = {};
  EXPECT_EQ(Mounted(), kVirtualId);
  java_thread_[kState] = kInVm;
  EXPECT_EQ(Mounted(), kVirtualId);
  java_thread_[kState] = kInNative;
  EXPECT_EQ(Mounted(), 0);
}

TEST_F(VirtualThreadTest, AThreadWithoutContinuationIsKnownToRunNoVirtualThreadInNativeCode) {
  vm_.thread_current_id = {};
  java_thread_[kState] = kInNative;
  EXPECT_FALSE(CanReadMountedThread(vm_, faults_, env()));
  java_thread_[kContinuation] = 0;
  EXPECT_TRUE(CanReadMountedThread(vm_, faults_, env()));
  vm_.thread_continuation = {};
  EXPECT_FALSE(CanReadMountedThread(vm_, faults_, env()));
}

TEST_F(VirtualThreadTest, CopiesTheNameInItsEncoding) {
  EXPECT_EQ(Name(), "worker-1");
  EXPECT_FALSE(name_.utf16);
  const std::string utf16("\x4a\x7d", 2);
  SetName(utf16, 1);
  EXPECT_EQ(Name(), utf16);
  EXPECT_TRUE(name_.utf16);
}

TEST_F(VirtualThreadTest, ALongNameIsCut) {
  SetName(std::string(300, 'x'), 0);
  EXPECT_EQ(Name(), std::string(ThreadNameBytes::kCapacity, 'x'));
}

TEST_F(VirtualThreadTest, ReadsNoNameWhereObjectsCanMove) {
  java_thread_[kState] = kInNative;
  EXPECT_EQ(Name(), "unknown");
}

TEST_F(VirtualThreadTest, LeavesTheHeapAloneIfFaultsAreFatal) {
  faults_ = LoadFaults::kFatal;
  EXPECT_EQ(Name(), "unknown");
  EXPECT_EQ(Mounted(), kVirtualId);
  vm_.thread_current_id = {};
  EXPECT_EQ(Mounted(), 0);
}

TEST_F(VirtualThreadTest, AnotherThreadsNameIsNotTaken) {
  Put(thread_ + kThreadId, kVirtualId + 1);
  EXPECT_EQ(Name(), "unknown");
}

TEST_F(VirtualThreadTest, AnEmptyNameIsNoName) {
  SetName("", 0);
  EXPECT_EQ(Name(), "unknown");
  Put(thread_ + kThreadName, uint32_t{0});
  EXPECT_EQ(Name(), "unknown");
}

}  // namespace
}  // namespace jprof
