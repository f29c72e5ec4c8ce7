#include "sigsafe/threads/thread_records.h"

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

constexpr uint32_t kNoHint = ThreadRecords::kCapacity;

class ThreadRecordsTest : public testing::Test {
 protected:
  ThreadRecordsTest()
      : pages_(Pages::Reserve(ThreadRecords::kRegionSize)), records_(pages_.value().region()) {}

  ProfiledThread* ForCurrentThreadInSignal(uint32_t hint) {
    ProfiledThread* found = nullptr;
    InSignal([&] { found = records_.ForCurrentThread(hint); });
    return found;
  }

  Result<Pages> pages_;
  ThreadRecords records_;
};

uint32_t SerialOf(const ProfiledThread* thread) { return thread->serial.load(); }

TEST_F(ThreadRecordsTest, AClaimedRecordSaysWhoseItIsAndSinceWhen) {
  const Nanos before_ns = MonotonicNanos();
  const ProfiledThread* record = records_.Claim(Tid{77});
  EXPECT_EQ(record->tid.load(), Tid{77});
  EXPECT_GE(record->claimed_ns.load(), before_ns);
  EXPECT_LE(record->claimed_ns.load(), MonotonicNanos());
  EXPECT_EQ(record->jni_env.load(), nullptr);
  EXPECT_EQ(records_.At(record->index), record);
  EXPECT_TRUE(records_.IsTaken(record->index));
}

TEST_F(ThreadRecordsTest, ASignalWithTheRightCookieAdoptsTheRegisteredRecord) {
  OnFreshThread([this] {
    records_.Claim(Tid{1});
    const ProfiledThread* registered = records_.Claim(CurrentTid());
    EXPECT_EQ(ForCurrentThreadInSignal(registered->index), registered);
    EXPECT_EQ(CurrentThread(), registered);
    EXPECT_EQ(records_.HighWater(), 2u) << "nothing was claimed on top";
  });
}

TEST_F(ThreadRecordsTest, OnceKnownTheRecordIsFoundWhateverTheCookieSays) {
  OnFreshThread([this] {
    const ProfiledThread* registered = records_.Claim(CurrentTid());
    const ProfiledThread* other = records_.Claim(Tid{1});
    ForCurrentThreadInSignal(registered->index);
    EXPECT_EQ(ForCurrentThreadInSignal(other->index), registered);
    EXPECT_EQ(ForCurrentThreadInSignal(kNoHint), registered);
  });
}

TEST_F(ThreadRecordsTest, ACookieThatNamesAnotherThreadsRecordIsNotBelieved) {
  OnFreshThread([this] {
    ProfiledThread* foreign = records_.Claim(Tid{1});
    const ProfiledThread* own = ForCurrentThreadInSignal(foreign->index);
    EXPECT_NE(own, foreign);
    EXPECT_EQ(own->tid.load(), CurrentTid());
    EXPECT_EQ(foreign->tid.load(), Tid{1});
  });
}

TEST_F(ThreadRecordsTest, AForgedCookieBeyondAllRecordsIsHarmless) {
  for (const uint32_t hint : {0u, 1u, kNoHint, ~0u}) {
    OnFreshThread([this, hint] {
      const ProfiledThread* own = ForCurrentThreadInSignal(hint);
      ASSERT_NE(own, nullptr);
      EXPECT_EQ(own->tid.load(), CurrentTid());
    });
  }
}

// A scan took the thread for the one that had its tid before.
TEST_F(ThreadRecordsTest, ARecordThatHasGoneToAnotherThreadIsNotThisOnesAnyMore) {
  for (const bool taken : {true, false}) {
    OnFreshThread([this, taken] {
      ProfiledThread* record = records_.Claim(CurrentTid());
      ASSERT_EQ(ForCurrentThreadInSignal(record->index), record);
      records_.Release(record);
      if (taken) {
        ASSERT_EQ(records_.Claim(Tid{1}), record);
      }
      InSignal([&] {
        EXPECT_EQ(records_.Adopt(kNoHint), nullptr);
        EXPECT_EQ(records_.FindForCurrentThread(), nullptr);
      });
      ProfiledThread* offered = records_.Claim(CurrentTid());
      EXPECT_EQ(SetCurrentThreadIfNone(offered), offered);
      EXPECT_EQ(ForCurrentThreadInSignal(kNoHint), offered);
      SetCurrentThread(nullptr);
      records_.Release(offered);
      if (taken) records_.Release(record);
    });
  }
}

TEST_F(ThreadRecordsTest, ACookieOfAReleasedRecordLeadsToAFreshOne) {
  OnFreshThread([this] {
    ProfiledThread* registered = records_.Claim(CurrentTid());
    const uint32_t old_serial = SerialOf(registered);
    records_.Release(registered);
    EXPECT_FALSE(records_.IsTaken(registered->index));
    const ProfiledThread* own = ForCurrentThreadInSignal(registered->index);
    EXPECT_NE(SerialOf(own), old_serial);
    EXPECT_TRUE(records_.IsTaken(own->index));
  });
}

TEST_F(ThreadRecordsTest, ASerialIsNeverUsedTwice) {
  std::set<uint32_t> serials;
  for (int i = 1; i <= 1000; ++i) {
    ProfiledThread* record = records_.Claim(Tid{i});
    EXPECT_TRUE(serials.insert(SerialOf(record)).second);
    EXPECT_NE(SerialOf(record), 0u);
    if (i % 3 != 0) records_.Release(record);
  }
}

TEST_F(ThreadRecordsTest, AReusedRecordStartsAfresh) {
  ProfiledThread* record = records_.Claim(Tid{1});
  record->session = 9;
  record->jni_env = this;
  LastStack& last = record->last_stacks[0];
  last.trace = TraceId{7};
  last.virtual_thread = 8;
  last.context = 9;
  const Nanos first_ns = record->claimed_ns;
  records_.Release(record);
  EXPECT_EQ(record->tid.load(), Tid{0});
  ProfiledThread* again = records_.Claim(Tid{2});
  ASSERT_EQ(again, record);
  EXPECT_EQ(again->session.load(), 0u);
  EXPECT_EQ(again->jni_env.load(), nullptr);
  EXPECT_EQ(last.trace.load(), kNoTrace);
  EXPECT_EQ(last.virtual_thread.load(), 0);
  EXPECT_EQ(last.context.load(), 0u);
  EXPECT_GE(again->claimed_ns.load(), first_ns);
}

// Its record, which others still see for a moment.
TEST_F(ThreadRecordsTest, AThreadThatHasEndedFindsNoRecord) {
  OnFreshThread([this] {
    ProfiledThread* record = records_.Claim(CurrentTid());
    ASSERT_EQ(ForCurrentThreadInSignal(record->index), record);
    EndCurrentThread();
    InSignal([this] { EXPECT_EQ(records_.FindForCurrentThread(), nullptr); });
    SetCurrentThread(nullptr);
    InSignal([&] { EXPECT_EQ(records_.FindForCurrentThread(), record); });
    SetCurrentThread(nullptr);
    records_.Release(record);
  });
}

TEST_F(ThreadRecordsTest, HighWaterCoversEveryRecordEverTakenAndNeverFalls) {
  ProfiledThread* first = records_.Claim(Tid{1});
  records_.Claim(Tid{2});
  EXPECT_EQ(records_.HighWater(), 2u);
  records_.Release(first);
  EXPECT_EQ(records_.HighWater(), 2u);
  records_.Claim(Tid{3});
  EXPECT_EQ(records_.HighWater(), 2u);
}

TEST_F(ThreadRecordsTest, WhenAllAreTakenAHandlerGetsNoneAndTakesNothing) {
  for (size_t i = 0; i < ThreadRecords::kCapacity; ++i) ASSERT_NE(records_.Claim(Tid{1}), nullptr);
  EXPECT_EQ(records_.Claim(Tid{2}), nullptr);
  EXPECT_EQ(records_.HighWater(), ThreadRecords::kCapacity);
  OnFreshThread([this] {
    EXPECT_EQ(ForCurrentThreadInSignal(kNoHint), nullptr);
    EXPECT_EQ(CurrentThread(), nullptr);
    records_.Release(records_.At(40'000));
    EXPECT_EQ(ForCurrentThreadInSignal(kNoHint), records_.At(40'000)) << "it asks again";
  });
}

TEST_F(ThreadRecordsTest, ConcurrentThreadsGetRecordsOfTheirOwn) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 500;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        ProfiledThread* own = ForCurrentThreadInSignal(kNoHint);
        if (own->tid.load() != CurrentTid()) wrong.fetch_add(1);
        SetCurrentThread(nullptr);
        records_.Release(own);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_LE(records_.HighWater(), static_cast<uint32_t>(kThreads));
  EXPECT_EQ(SerialOf(records_.Claim(Tid{1})), kThreads * kRounds + 1u);
}

TEST(ProfiledThreadTest, LossesAddUpByKindAndReason) {
  ProfiledThread thread{};
  InSignal([&] {
    thread.AddLost(SampleKind::kCpu, LostReason::kSamplesFull, 3);
    thread.AddLost(SampleKind::kCpu, LostReason::kSamplesFull, 4);
    thread.AddLost(SampleKind::kWall, LostReason::kStorageFull, 5);
  });
  const auto lost = [&](SampleKind kind, LostReason reason) {
    return thread.lost[static_cast<size_t>(kind)][static_cast<size_t>(reason)].load();
  };
  EXPECT_EQ(lost(SampleKind::kCpu, LostReason::kSamplesFull), 7u);
  EXPECT_EQ(lost(SampleKind::kWall, LostReason::kStorageFull), 5u);
  EXPECT_EQ(lost(SampleKind::kWall, LostReason::kSamplesFull), 0u);
  EXPECT_EQ(lost(SampleKind::kCpu, LostReason::kNoWalkBuffer), 0u);
}

}  // namespace
}  // namespace jprof
