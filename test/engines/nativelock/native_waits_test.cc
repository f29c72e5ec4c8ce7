#include "engines/nativelock/native_waits.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <thread>
#include <vector>

#include "engines/nativelock/native_lock_wrappers.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/threads/current_thread.h"
#include "support/sampling_world.h"
#include "support/sanitizer.h"

namespace jprof {
namespace {

using LockCall = int (*)(pthread_mutex_t*);
using WaitCall = int (*)(pthread_cond_t*, pthread_mutex_t*, const timespec*);

void* WrapperOf(std::string_view name) {
  const auto* const call = std::ranges::find(kNativeLockCalls, name, &NativeLockCall::name);
  EXPECT_NE(call, std::end(kNativeLockCalls));
  void* const original = dlsym(RTLD_DEFAULT, std::string(name).c_str());
  return NativeLockWrappers::OfProcess().For(static_cast<size_t>(call - kNativeLockCalls),
                                             original);
}

WaitSums AllOf(const WaitTotals& totals) {
  WaitSums all;
  for (size_t i = 0; i < kWaitTypeCount; ++i) all.Add(totals.Of(static_cast<WaitType>(i)));
  return all;
}

timespec In(Nanos nanos) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const Nanos at = now.tv_nsec + nanos;
  return {now.tv_sec + at / kNanosPerSecond, at % kNanosPerSecond};
}

class NativeWaitsTest : public testing::Test {
 protected:
  static constexpr Nanos kInterval = 1'000'000;

  NativeWaitsTest() {
    SetCurrentThread(nullptr);
    world_.Activate();
    slot_ = world_.RegisterCurrentThread();
  }
  ~NativeWaitsTest() override {
    NativeWaits::Close(GetThreadSlots()->FindForCurrentThread());
    SetCurrentThread(nullptr);
  }

  // Starts a thread that calls `run`, and has a slot during that call.
  template <typename Run>
  std::thread Registered(Run run) {
    return std::thread([this, run] {
      ThreadSlot* const slot = world_.RegisterCurrentThread();
      run();
      SetCurrentThread(nullptr);
      world_.slots().Release(slot);
    });
  }

  // Waits until another thread waits for the mutex.
  static void AwaitWaiter(const pthread_mutex_t& mutex) {
    while (__atomic_load_n(&mutex.__data.__lock, __ATOMIC_RELAXED) != 2) std::this_thread::yield();
  }

  test::SamplingWorld world_;
  ThreadSlot* slot_;
  const LockCall lock_ = reinterpret_cast<LockCall>(WrapperOf("pthread_mutex_lock"));
  const WaitCall wait_ = reinterpret_cast<WaitCall>(WrapperOf("pthread_cond_timedwait"));
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

TEST_F(NativeWaitsTest, AWrapperLeadsOnlyToItsOriginal) {
  NativeLockWrappers& wrappers = NativeLockWrappers::OfProcess();
  for (size_t call = 0; call < kNativeLockCallCount; ++call) {
    void* const original = dlsym(RTLD_DEFAULT, std::string(kNativeLockCalls[call].name).c_str());
    void* const wrapper = wrappers.For(call, original);
    ASSERT_NE(wrapper, nullptr) << kNativeLockCalls[call].name;
    EXPECT_EQ(wrappers.OriginalOf(wrapper), original);
    EXPECT_EQ(wrappers.For(call, reinterpret_cast<void*>(&In)), nullptr);
  }
  EXPECT_EQ(wrappers.OriginalOf(reinterpret_cast<void*>(&In)), nullptr);
}

TEST_F(NativeWaitsTest, TakingAFreeLockIsNoWait) {
  WaitTotals totals;
  NativeWaits::Open(kInterval, totals);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(lock_(&mutex_), 0);
    pthread_mutex_unlock(&mutex_);
  }
  EXPECT_TRUE(NativeWaits::Close(GetThreadSlots()->FindForCurrentThread()));
  EXPECT_EQ(AllOf(totals).waits, 0U);
  EXPECT_TRUE(world_.Drain().empty());
}

TEST_F(NativeWaitsTest, SamplesAWaitWithItsTimeLockAndOwner) {
  WaitTotals totals;
  NativeWaits::Open(kInterval, totals);
  ASSERT_EQ(lock_(&mutex_), 0);
  Nanos waited_ns = 0;
  std::thread waiting = Registered([&] {
    const Nanos begin_ns = MonotonicNanos();
    EXPECT_EQ(lock_(&mutex_), 0);
    waited_ns = MonotonicNanos() - begin_ns;
    pthread_mutex_unlock(&mutex_);
  });
  AwaitWaiter(mutex_);
  const Nanos seen_ns = MonotonicNanos();
  while (MonotonicNanos() < seen_ns + 2 * kInterval) std::this_thread::yield();
  pthread_mutex_unlock(&mutex_);
  waiting.join();
  EXPECT_TRUE(NativeWaits::Close(GetThreadSlots()->FindForCurrentThread()));

  const WaitSums sums = totals.Of(WaitType::kMutex);
  EXPECT_EQ(sums.waits, 1U);
  EXPECT_EQ(sums.short_waits, 0U);
  const std::vector<Sample> samples = world_.Drain();
  ASSERT_EQ(samples.size(), 1U);
  const auto payload = samples[0].Payload<NativeLockPayload>();
  EXPECT_EQ(samples[0].weight, sums.total_ns);
  EXPECT_EQ(static_cast<uint64_t>(payload.waited_ns), sums.total_ns);
  EXPECT_GE(payload.waited_ns, 2 * kInterval);
  EXPECT_LE(payload.waited_ns, waited_ns);
  EXPECT_EQ(payload.address, reinterpret_cast<uintptr_t>(&mutex_));
  EXPECT_EQ(FromPayload(payload.owner).serial(), slot_->serial.load());
  EXPECT_NE(samples[0].thread.serial(), slot_->serial.load());
  EXPECT_EQ(payload.flags, 0);
}

TEST_F(NativeWaitsTest, ATimeoutIsAWaitButAFailedCallIsNot) {
  WaitTotals totals;
  NativeWaits::Open(kInterval, totals);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_t checked;
  pthread_mutex_init(&checked, &attributes);
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  const timespec soon = In(2 * kInterval);
  errno = 77;
  if (!test::kUnderTsan) {  // ThreadSanitizer reports a wait without the mutex
    EXPECT_EQ(wait_(&condition, &checked, &soon), EPERM);
  }
  EXPECT_EQ(lock_(&checked), 0);
  EXPECT_EQ(lock_(&checked), EDEADLK);
  EXPECT_EQ(AllOf(totals).waits, 0U);
  EXPECT_EQ(wait_(&condition, &checked, &soon), ETIMEDOUT);
  EXPECT_EQ(errno, 77);
  EXPECT_EQ(AllOf(totals).waits, 1U);
  EXPECT_EQ(totals.Of(WaitType::kCondition).waits, 1U);
}

TEST_F(NativeWaitsTest, AThreadWithoutASlotIsNotCounted) {
  WaitTotals totals;
  NativeWaits::Open(kInterval, totals);
  ASSERT_EQ(lock_(&mutex_), 0);
  std::thread waiting([&] {
    EXPECT_EQ(lock_(&mutex_), 0);
    pthread_mutex_unlock(&mutex_);
  });
  AwaitWaiter(mutex_);
  pthread_mutex_unlock(&mutex_);
  waiting.join();
  EXPECT_TRUE(NativeWaits::Close(GetThreadSlots()->FindForCurrentThread()));
  EXPECT_EQ(AllOf(totals).waits, 0U);
}

TEST_F(NativeWaitsTest, CountsAWaitAcrossTheStopInOneRecordingOnly) {
  WaitTotals first;
  NativeWaits::Open(kInterval, first);
  ASSERT_EQ(lock_(&mutex_), 0);
  std::thread waiting = Registered([&] {
    EXPECT_EQ(lock_(&mutex_), 0);
    pthread_mutex_unlock(&mutex_);
  });
  AwaitWaiter(mutex_);
  const Nanos seen_ns = MonotonicNanos();
  while (MonotonicNanos() < seen_ns + kInterval) std::this_thread::yield();
  EXPECT_TRUE(NativeWaits::Close(GetThreadSlots()->FindForCurrentThread()));
  EXPECT_EQ(AllOf(first).waits, 1U);
  const std::vector<Sample> samples = world_.Drain();
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(samples[0].Payload<NativeLockPayload>().flags, NativeLockPayload::kUnfinished);
  EXPECT_NE(samples[0].thread.serial(), slot_->serial.load());

  WaitTotals second;
  NativeWaits::Open(kInterval, second);
  pthread_mutex_unlock(&mutex_);
  waiting.join();
  EXPECT_TRUE(NativeWaits::Close(GetThreadSlots()->FindForCurrentThread()));
  EXPECT_EQ(AllOf(first).waits, 1U);
  EXPECT_EQ(AllOf(second).waits, 0U);
  EXPECT_TRUE(world_.Drain().empty());
}

// The totals are final once Close returns, and no wait is counted twice.
TEST_F(NativeWaitsTest, CountsWaitsAtMostOnceAcrossRecordings) {
  constexpr int kThreads = 4;
  constexpr int kRecordings = 200;
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> calls{0};
  std::atomic<Nanos> measured_ns{0};
  int64_t guarded = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.push_back(Registered([&] {
      while (!stop.load(std::memory_order_relaxed)) {
        const Nanos begin_ns = MonotonicNanos();
        ASSERT_EQ(lock_(&mutex_), 0);
        measured_ns += MonotonicNanos() - begin_ns;
        ++guarded;
        ++calls;
        if (guarded % 8 == 0) std::this_thread::yield();
        pthread_mutex_unlock(&mutex_);
      }
    }));
  }
  std::vector<std::unique_ptr<WaitTotals>> all;
  std::vector<uint64_t> waits;
  uint64_t total_ns = 0;
  for (int i = 0; i < kRecordings; ++i) {
    all.push_back(std::make_unique<WaitTotals>());
    NativeWaits::Open(kInterval, *all.back());
    const uint64_t before = calls.load();
    while (calls.load() < before + 50) std::this_thread::yield();
    ASSERT_TRUE(NativeWaits::Close(GetThreadSlots()->FindForCurrentThread()));
    waits.push_back(AllOf(*all.back()).waits);
    total_ns += AllOf(*all.back()).total_ns;
    world_.Drain();
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  uint64_t sum = 0;
  for (int i = 0; i < kRecordings; ++i) {
    EXPECT_EQ(AllOf(*all[static_cast<size_t>(i)]).waits, waits[static_cast<size_t>(i)]);
    sum += waits[static_cast<size_t>(i)];
  }
  EXPECT_GT(sum, 0U);
  EXPECT_LE(sum, calls.load());
  EXPECT_LE(total_ns, static_cast<uint64_t>(measured_ns.load()));
  EXPECT_EQ(static_cast<uint64_t>(guarded), calls.load());
}

}  // namespace
}  // namespace jprof
