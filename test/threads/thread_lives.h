// ThreadLivesTest announces the starts and ends of many threads to the registry. A few real threads
// make these announcements, each as if it started and ended again and again. Meanwhile other
// threads scan and drain, as the task watcher and the recorder do.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "sigsafe/os/clock.h"
#include "support/sanitizer.h"
#include "threads/registry_world.h"

namespace jprof::test {

// SlotOwners tracks the owner of each slot and fails the test if a slot has two owners. Called
// under the registry's lock.
class SlotOwners : public ThreadListener {
 public:
  void OnThreadStart(ThreadSlot& thread, Observed) override {
    ASSERT_LT(thread.index, owners_.size());
    EXPECT_EQ(owners_[thread.index], 0u) << "a slot in use was given to another thread";
    owners_[thread.index] = thread.serial.load();
    ++starts;
  }
  void OnThreadEnd(ThreadSlot& thread, const EndOfThread&) override {
    EXPECT_EQ(owners_[thread.index], thread.serial.load());
    owners_[thread.index] = 0;
    ++ends;
  }

  uint64_t starts = 0;
  uint64_t ends = 0;

 private:
  std::vector<uint32_t> owners_ = std::vector<uint32_t>(1024);
};

class ThreadLivesTest : public RegistryTest {
 protected:
  static constexpr int kWorkers = 4;

  void LiveThrough(int lives) {
    registry_.RemoveListener(&books_);
    registry_.AddListener(&owners_);
    Phase(lives / 10);  // lets allocators and tables grow to their final size
    const size_t pages = ResidentPages();
    Phase(lives - lives / 10);
    const size_t grown = ResidentPages() - std::min(pages, ResidentPages());
    // A sanitizer needs memory for its own records.
    if (!kUnderSanitizer) {
      EXPECT_LT(grown * static_cast<size_t>(getpagesize()), size_t{8} << 20);
    }

    ASSERT_TRUE(registry_.Rescan().ok());
    Drain();
    EXPECT_GE(owners_.starts, static_cast<uint64_t>(lives));
    EXPECT_EQ(owners_.starts - owners_.ends, registry_.Counts().slots_in_use);
    EXPECT_LE(slots_.HighWater(), 64u);
    size_t taken = 0;
    for (uint32_t i = 0; i < ThreadSlots::kCapacity; ++i) taken += slots_.IsTaken(i) ? 1 : 0;
    EXPECT_EQ(taken, registry_.Counts().slots_in_use) << "a slot was lost";
    EXPECT_TRUE(registry_.names().Ended().empty());
    registry_.RemoveListener(&owners_);
  }

 private:
  void Phase(int lives) {
    std::atomic<int> at_work{kWorkers};
    std::vector<std::thread> workers;
    for (int worker = 0; worker < kWorkers; ++worker) {
      workers.emplace_back([&] {
        for (int i = 0; i < lives / kWorkers; ++i) {
          registry_.OnNativeThreadStart(MonotonicNanos());
          ThreadSlot* const slot = CurrentThread();
          EXPECT_NE(slot, nullptr);
          if (i % 64 == 0) slot->AddLost(SampleKind::kCpu, LostReason::kStorageFull, 1);
          registry_.OnNativeThreadEnd();
        }
        --at_work;
      });
    }
    while (at_work != 0) {
      EXPECT_TRUE(registry_.Rescan(PrimingPath::kWatcher, Identity::kTrusted).ok());
      Drain();
      usleep(1000);
    }
    for (std::thread& worker : workers) worker.join();
    Drain();
    EXPECT_EQ(losses_, static_cast<uint64_t>((lives / kWorkers + 63) / 64 * kWorkers));
    losses_ = 0;
  }

  void Drain() {
    const std::vector<uint32_t> ended = registry_.names().Ended();
    for (const ThreadLoss& loss : registry_.TakeLosses()) losses_ += loss.weight;
    registry_.names().ForgetEnded(ended);
  }

  static size_t ResidentPages() {
    size_t size = 0;
    size_t resident = 0;
    FILE* const statm = fopen("/proc/self/statm", "re");
    if (statm == nullptr || fscanf(statm, "%zu %zu", &size, &resident) != 2) return 0;
    fclose(statm);
    return resident;
  }

  SlotOwners owners_;
  uint64_t losses_ = 0;
};

}  // namespace jprof::test
