#include "engines/lock/lock_stacks.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <utility>

#include "os/pages.h"
#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {
namespace {

// FakeThread has the members of a JavaThread that the search of lock stacks reads.
struct FakeThread {
  uint32_t top = offsetof(FakeThread, entries);
  uint32_t sentinel = 0;
  std::array<uint64_t, 8> entries = {};
  int64_t id = 0;
  int64_t continuation = 0;
  uint64_t env = 0;

  void Lock(uint64_t object) {
    entries.at((top - offsetof(FakeThread, entries)) / sizeof(uint64_t)) = object;
    top += sizeof(uint64_t);
  }
};

struct FakeHeap {
  uint32_t collections = 5;
};
FakeHeap* g_moving = nullptr;  // the heap that each call of IsSameObject collects; nullptr if none

class LockStacksTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kObject = 0x7f0000001000;
  static constexpr uint64_t kOther = 0x7f0000002000;

  LockStacksTest() {
    SetThreadSlots(&slots_);
    vm_.env_offset = offsetof(FakeThread, env);
    vm_.lock_stack = {{offsetof(FakeThread, top), 4, false},
                      offsetof(FakeThread, entries),
                      reinterpret_cast<uint64_t>(&heap_),
                      {offsetof(FakeHeap, collections), 4, false}};
    for (size_t i = 0; i < threads_.size(); ++i) {
      const auto number = static_cast<int32_t>(i);
      threads_[i].id = 100 + number;
      threads_[i].Lock(kOther + i);
      ThreadSlot* const slot = slots_.Claim(Tid{1000 + number});
      slot->java_id.store(100 + number);
      slot->jni_env.store(&threads_[i].env);
    }
    functions_.IsSameObject = [](JNIEnv*, jobject, jobject) -> jboolean {
      if (g_moving != nullptr) ++g_moving->collections;
      return JNI_FALSE;
    };
    jni_.functions = &functions_;
  }
  ~LockStacksTest() override {
    SetThreadSlots(nullptr);
    g_moving = nullptr;
  }

  SampledThread Holder() {
    return HolderByLockStacks(&jni_, vm_, reinterpret_cast<jobject>(&reference_));
  }
  SampledThread ThreadAt(size_t index) const {
    return SampledThread::Platform(static_cast<uint32_t>(index) + 1,
                                   Tid{1000 + static_cast<int32_t>(index)});
  }
  void ExposeIds() {
    vm_.thread_current_id = {offsetof(FakeThread, id), 8, true};
    vm_.thread_continuation = {offsetof(FakeThread, continuation), 8, true};
  }

  Pages pages_ = std::move(Pages::Reserve(ThreadSlots::kRegionSize)).value();
  ThreadSlots slots_{pages_.region()};
  std::array<FakeThread, 4> threads_;
  FakeHeap heap_;
  HotspotLayout vm_{};
  JNINativeInterface_ functions_{};
  JNIEnv jni_{};
  uint64_t reference_ = kObject;
};

TEST_F(LockStacksTest, FindsTheThreadWithTheObjectOnItsLockStack) {
  EXPECT_EQ(Holder(), SampledThread());
  threads_[2].Lock(kObject);
  threads_[2].Lock(kOther);
  EXPECT_EQ(Holder(), ThreadAt(2));
  ExposeIds();
  EXPECT_EQ(Holder(), ThreadAt(2));
}

TEST_F(LockStacksTest, IgnoresEntriesAboveTheTop) {
  threads_[2].Lock(kObject);
  threads_[2].top -= sizeof(uint64_t);
  EXPECT_EQ(Holder(), SampledThread());
}

TEST_F(LockStacksTest, ReadsNoFurtherThanTheStackIfTheTopIsAbsurd) {
  threads_[2].id = static_cast<int64_t>(kObject);  // the word after the last entry
  threads_[2].top = UINT32_MAX;
  EXPECT_EQ(Holder(), SampledThread());
}

TEST_F(LockStacksTest, FindsNoHolderIfSeveralLockStacksHaveTheObject) {
  threads_[1].Lock(kObject);
  threads_[3].Lock(kObject);
  EXPECT_EQ(Holder(), SampledThread());
}

TEST_F(LockStacksTest, FindsNoHolderIfACollectionHasBegun) {
  threads_[2].Lock(kObject);
  g_moving = &heap_;
  EXPECT_EQ(Holder(), SampledThread());
}

TEST_F(LockStacksTest, IgnoresThreadsThatHaveEnded) {
  threads_[2].Lock(kObject);
  slots_.Release(slots_.At(2));
  EXPECT_EQ(Holder(), SampledThread());
}

TEST_F(LockStacksTest, FindsTheVirtualThreadThatACarrierRuns) {
  ExposeIds();
  threads_[2].Lock(kObject);
  threads_[2].id = 4711;
  threads_[2].continuation = 1;
  EXPECT_EQ(Holder(), SampledThread::Virtual(4711));
  threads_[2].id = 102;
  EXPECT_EQ(Holder(), SampledThread()) << "unknown while the carrier runs its own code";
}

TEST_F(LockStacksTest, FindsNoHolderInAJvmWithoutLockStacks) {
  threads_[2].Lock(kObject);
  vm_.lock_stack = {};
  EXPECT_EQ(Holder(), SampledThread());
}

constexpr Nanos kSecond = 1'000'000'000;

TEST(SearchBudgetTest, AllowsABurstAndThenAHundredthOfTheTime) {
  constexpr Nanos kSearch = 100'000;
  SearchBudget budget;
  Nanos spent = 0;
  for (Nanos now = kSecond; now < 11 * kSecond; now += kSearch) {
    if (!budget.Allows(now)) continue;
    budget.Spend(now, kSearch);
    spent += kSearch;
  }
  constexpr Nanos kExpected = SearchBudget::kBurst + 10 * kSecond / SearchBudget::kShare;
  EXPECT_NEAR(static_cast<double>(spent), static_cast<double>(kExpected), 2.0 * kSearch);
}

TEST(SearchBudgetTest, DoesNotSaveUpTimeWithoutSearches) {
  SearchBudget budget;
  budget.Spend(kSecond, 1);
  const Nanos later = 1'000 * kSecond;
  budget.Spend(later, SearchBudget::kBurst);
  EXPECT_FALSE(budget.Allows(later));
  EXPECT_TRUE(budget.Allows(later + 1));
}

}  // namespace
}  // namespace jprof
