#include "sigsafe/threads/thread_slots.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "os/pages.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/threads/current_thread.h"
#include "support/on_fresh_thread.h"
#include "support/signal_body.h"

namespace jprof {
namespace {

using test::InSignal;
using test::OnFreshThread;

constexpr uint32_t kNoHint = ThreadSlots::kCapacity;

class ThreadSlotsTest : public testing::Test {
 protected:
  ThreadSlotsTest()
      : pages_(Pages::Reserve(ThreadSlots::kRegionSize)), slots_(pages_.value().region()) {}

  ThreadSlot* ForCurrentThreadInSignal(uint32_t hint) {
    ThreadSlot* found = nullptr;
    InSignal([&] { found = slots_.ForCurrentThread(hint); });
    return found;
  }

  Result<Pages> pages_;
  ThreadSlots slots_;
};

uint32_t SerialOf(const ThreadSlot* thread) { return thread->serial.load(); }

TEST_F(ThreadSlotsTest, AClaimedSlotHasItsThreadAndTime) {
  const Nanos before_ns = MonotonicNanos();
  const ThreadSlot* slot = slots_.Claim(Tid{77});
  EXPECT_EQ(slot->tid.load(), Tid{77});
  EXPECT_GE(slot->claimed_ns.load(), before_ns);
  EXPECT_LE(slot->claimed_ns.load(), MonotonicNanos());
  EXPECT_EQ(slot->jni_env.load(), nullptr);
  EXPECT_EQ(slots_.At(slot->index), slot);
  EXPECT_TRUE(slots_.IsTaken(slot->index));
}

TEST_F(ThreadSlotsTest, ASignalWithTheRightCookieAdoptsTheRegisteredSlot) {
  OnFreshThread([this] {
    slots_.Claim(Tid{1});
    const ThreadSlot* registered = slots_.Claim(CurrentTid());
    EXPECT_EQ(ForCurrentThreadInSignal(registered->index), registered);
    EXPECT_EQ(CurrentThread(), registered);
    EXPECT_EQ(slots_.HighWater(), 2u) << "no other slot was claimed";
  });
}

TEST_F(ThreadSlotsTest, FindsAKnownSlotWhateverTheCookie) {
  OnFreshThread([this] {
    const ThreadSlot* registered = slots_.Claim(CurrentTid());
    const ThreadSlot* other = slots_.Claim(Tid{1});
    ForCurrentThreadInSignal(registered->index);
    EXPECT_EQ(ForCurrentThreadInSignal(other->index), registered);
    EXPECT_EQ(ForCurrentThreadInSignal(kNoHint), registered);
  });
}

TEST_F(ThreadSlotsTest, IgnoresACookieOfAnotherThreadsSlot) {
  OnFreshThread([this] {
    ThreadSlot* foreign = slots_.Claim(Tid{1});
    const ThreadSlot* own = ForCurrentThreadInSignal(foreign->index);
    EXPECT_NE(own, foreign);
    EXPECT_EQ(own->tid.load(), CurrentTid());
    EXPECT_EQ(foreign->tid.load(), Tid{1});
  });
}

TEST_F(ThreadSlotsTest, AForgedCookieBeyondAllSlotsIsHarmless) {
  for (const uint32_t hint : {0u, 1u, kNoHint, ~0u}) {
    OnFreshThread([this, hint] {
      const ThreadSlot* own = ForCurrentThreadInSignal(hint);
      ASSERT_NE(own, nullptr);
      EXPECT_EQ(own->tid.load(), CurrentTid());
    });
  }
}

// A scan can release the slot of a running thread, if it takes the thread for an earlier one with
// the same tid.
TEST_F(ThreadSlotsTest, AThreadNoLongerFindsItsSlotAfterTheRelease) {
  for (const bool taken : {true, false}) {
    OnFreshThread([this, taken] {
      ThreadSlot* slot = slots_.Claim(CurrentTid());
      ASSERT_EQ(ForCurrentThreadInSignal(slot->index), slot);
      slots_.Release(slot);
      if (taken) {
        ASSERT_EQ(slots_.Claim(Tid{1}), slot);
      }
      InSignal([&] {
        EXPECT_EQ(slots_.Adopt(kNoHint), nullptr);
        EXPECT_EQ(slots_.FindForCurrentThread(), nullptr);
      });
      ThreadSlot* offered = slots_.Claim(CurrentTid());
      EXPECT_EQ(SetCurrentThreadIfNone(offered), offered);
      EXPECT_EQ(ForCurrentThreadInSignal(kNoHint), offered);
      SetCurrentThread(nullptr);
      slots_.Release(offered);
      if (taken) slots_.Release(slot);
    });
  }
}

TEST_F(ThreadSlotsTest, ACookieOfAReleasedSlotLeadsToAFreshOne) {
  OnFreshThread([this] {
    ThreadSlot* registered = slots_.Claim(CurrentTid());
    const uint32_t old_serial = SerialOf(registered);
    slots_.Release(registered);
    EXPECT_FALSE(slots_.IsTaken(registered->index));
    const ThreadSlot* own = ForCurrentThreadInSignal(registered->index);
    EXPECT_NE(SerialOf(own), old_serial);
    EXPECT_TRUE(slots_.IsTaken(own->index));
  });
}

TEST_F(ThreadSlotsTest, ASerialIsNeverUsedTwice) {
  std::set<uint32_t> serials;
  for (int i = 1; i <= 1000; ++i) {
    ThreadSlot* slot = slots_.Claim(Tid{i});
    EXPECT_TRUE(serials.insert(SerialOf(slot)).second);
    EXPECT_NE(SerialOf(slot), 0u);
    if (i % 3 != 0) slots_.Release(slot);
  }
}

TEST_F(ThreadSlotsTest, AReusedSlotIsReset) {
  ThreadSlot* slot = slots_.Claim(Tid{1});
  slot->run = 9;
  slot->jni_env = this;
  LastStack& last = slot->last_stacks[0];
  last.trace = CallTraceId{7};
  last.virtual_thread = 8;
  last.context = 9;
  const Nanos first_ns = slot->claimed_ns;
  slots_.Release(slot);
  EXPECT_EQ(slot->tid.load(), Tid{0});
  ThreadSlot* again = slots_.Claim(Tid{2});
  ASSERT_EQ(again, slot);
  EXPECT_EQ(again->run.load(), 0u);
  EXPECT_EQ(again->jni_env.load(), nullptr);
  EXPECT_EQ(last.trace.load(), kNoCallTrace);
  EXPECT_EQ(last.virtual_thread.load(), 0);
  EXPECT_EQ(last.context.load(), 0u);
  EXPECT_GE(again->claimed_ns.load(), first_ns);
}

// The slot still has the tid of the thread until the registry releases it.
TEST_F(ThreadSlotsTest, AThreadThatHasEndedFindsNoSlot) {
  OnFreshThread([this] {
    ThreadSlot* slot = slots_.Claim(CurrentTid());
    ASSERT_EQ(ForCurrentThreadInSignal(slot->index), slot);
    EndCurrentThread();
    InSignal([this] { EXPECT_EQ(slots_.FindForCurrentThread(), nullptr); });
    SetCurrentThread(nullptr);
    InSignal([&] { EXPECT_EQ(slots_.FindForCurrentThread(), slot); });
    SetCurrentThread(nullptr);
    slots_.Release(slot);
  });
}

TEST_F(ThreadSlotsTest, HighWaterCoversEverySlotEverTakenAndNeverFalls) {
  ThreadSlot* first = slots_.Claim(Tid{1});
  slots_.Claim(Tid{2});
  EXPECT_EQ(slots_.HighWater(), 2u);
  slots_.Release(first);
  EXPECT_EQ(slots_.HighWater(), 2u);
  slots_.Claim(Tid{3});
  EXPECT_EQ(slots_.HighWater(), 2u);
}

TEST_F(ThreadSlotsTest, AHandlerGetsNoSlotWhenAllAreTaken) {
  for (size_t i = 0; i < ThreadSlots::kCapacity; ++i) ASSERT_NE(slots_.Claim(Tid{1}), nullptr);
  EXPECT_EQ(slots_.Claim(Tid{2}), nullptr);
  EXPECT_EQ(slots_.HighWater(), ThreadSlots::kCapacity);
  OnFreshThread([this] {
    EXPECT_EQ(ForCurrentThreadInSignal(kNoHint), nullptr);
    EXPECT_EQ(CurrentThread(), nullptr);
    slots_.Release(slots_.At(40'000));
    EXPECT_EQ(ForCurrentThreadInSignal(kNoHint), slots_.At(40'000)) << "it claims again";
  });
}

TEST_F(ThreadSlotsTest, ConcurrentThreadsGetSlotsOfTheirOwn) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 500;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        ThreadSlot* own = ForCurrentThreadInSignal(kNoHint);
        if (own->tid.load() != CurrentTid()) wrong.fetch_add(1);
        SetCurrentThread(nullptr);
        slots_.Release(own);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_LE(slots_.HighWater(), static_cast<uint32_t>(kThreads));
  EXPECT_EQ(SerialOf(slots_.Claim(Tid{1})), kThreads * kRounds + 1u);
}

TEST(ThreadSlotTest, LossesAddUpByKindAndReason) {
  ThreadSlot thread{};
  InSignal([&] {
    thread.AddLost(SampleKind::kCpu, LostReason::kSamplesFull, 3);
    thread.AddLost(SampleKind::kCpu, LostReason::kSamplesFull, 4);
    thread.AddLost(SampleKind::kWall, LostReason::kStorageFull, 5);
  });
  const auto lost = [&](SampleKind kind, LostReason reason) {
    return thread.lost[LossIndex(kind, reason)].load();
  };
  EXPECT_EQ(lost(SampleKind::kCpu, LostReason::kSamplesFull), 7u);
  EXPECT_EQ(lost(SampleKind::kWall, LostReason::kStorageFull), 5u);
  EXPECT_EQ(lost(SampleKind::kWall, LostReason::kSamplesFull), 0u);
  EXPECT_EQ(lost(SampleKind::kCpu, LostReason::kNoWalkBuffer), 0u);
}

}  // namespace
}  // namespace jprof
