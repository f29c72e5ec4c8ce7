// Tests slots that handlers have claimed by themselves, and how the registry treats them.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "support/live_thread.h"
#include "support/signal_body.h"
#include "threads/registry_world.h"

namespace jprof {
namespace {

using test::InSignal;
using test::JavaNamed;
using test::kNoHint;
using test::LiveThread;

class ClaimedSlotsTest : public test::RegistryTest {
 protected:
  // Returns the slot that a handler on `thread` finds for a signal with the cookie `hint`.
  ThreadSlot* HandlerOn(LiveThread& thread, uint32_t hint) {
    ThreadSlot* found = nullptr;
    thread.Run([&] { InSignal([&] { found = slots_.ForCurrentThread(hint); }); });
    return found;
  }

  // Expects that handlers on `thread` use the registered slot, whatever the cookie of the signal
  // is.
  void ExpectHandlersUseTheRegisteredSlot(LiveThread& thread) {
    const ThreadSlot* registered = SlotOf(thread.tid());
    ASSERT_NE(registered, nullptr);
    EXPECT_TRUE(slots_.IsTaken(registered->index));
    EXPECT_EQ(HandlerOn(thread, registered->index), registered);
    EXPECT_EQ(HandlerOn(thread, kNoHint), registered);
  }
};

TEST_F(ClaimedSlotsTest, AScanRegistersASlotThatAHandlerClaimed) {
  LiveThread thread;
  const ThreadSlot* claimed = HandlerOn(thread, kNoHint);
  Rescan();
  EXPECT_EQ(SlotOf(thread.tid()), claimed);
  EXPECT_EQ(books_.live.count(claimed->serial.load()), 1u);
  ExpectHandlersUseTheRegisteredSlot(thread);
}

TEST_F(ClaimedSlotsTest, AScanFreesAClaimedSlotWhoseThreadIsGone) {
  Rescan();
  auto thread = std::make_unique<LiveThread>();
  const ThreadSlot* claimed = HandlerOn(*thread, kNoHint);
  thread->End();
  Rescan();
  EXPECT_FALSE(slots_.IsTaken(claimed->index));
  EXPECT_EQ(books_.live.count(claimed->serial.load()), 0u);
}

TEST_F(ClaimedSlotsTest, AClaimedSlotReplacesTheOneOfAScan) {
  LiveThread thread;
  int env = 0;
  Rescan();
  registry_.SetJavaThread(thread.tid(), &env, JavaNamed("main"), {});
  const ThreadSlot* scanned = SlotOf(thread.tid());
  const ThreadSlot* claimed = HandlerOn(thread, kNoHint);
  ASSERT_NE(claimed, scanned);
  Rescan();
  EXPECT_EQ(SlotOf(thread.tid()), claimed);
  EXPECT_EQ(claimed->jni_env.load(), &env);
  EXPECT_FALSE(slots_.IsTaken(scanned->index));
  EXPECT_EQ(books_.ended.count(scanned->serial.load()), 1u);
  ExpectHandlersUseTheRegisteredSlot(thread);
}

TEST_F(ClaimedSlotsTest, TheNameOfAJavaThreadStaysWithItsThread) {
  LiveThread thread;
  int env = 0;
  Rescan();
  registry_.SetJavaThread(thread.tid(), &env, JavaNamed("main", 1), {});
  HandlerOn(thread, kNoHint);
  Rescan();
  EXPECT_EQ(registry_.names().Find(SerialOf(thread.tid()), thread.tid())->java.name, "main");
}

// A native thread attaches, detaches, gets a late signal and attaches again.
TEST_F(ClaimedSlotsTest, HasOneSlotAfterALateSignalAndReattachment) {
  LiveThread thread;
  int env = 0;
  thread.Run([&] { registry_.OnJavaThreadStart(&env, JavaNamed("first")); });
  const uint32_t cookie = SlotOf(thread.tid())->index;
  thread.Run([&] { registry_.OnJavaThreadEnd(nullptr); });
  HandlerOn(thread, cookie);
  thread.Run([&] { registry_.OnJavaThreadStart(&env, JavaNamed("second")); });
  ExpectHandlersUseTheRegisteredSlot(thread);
  Rescan();
  ExpectHandlersUseTheRegisteredSlot(thread);
  EXPECT_EQ(SlotOf(thread.tid())->jni_env.load(), &env);
  EXPECT_EQ(registry_.names().Find(SerialOf(thread.tid()), thread.tid())->java.name, "second");
}

// The kernel's list of tasks sometimes leaves out a live thread if other threads end while the list
// is read (Linux v6.1 fs/proc/base.c, first_tid and next_tid).
TEST_F(ClaimedSlotsTest, NeverEndsALiveThreadWhileOthersEnd) {
  for (int round = 0; round < 150; ++round) {
    std::atomic<bool> go{false};
    std::vector<std::thread> short_lived;
    for (int i = 0; i < 20; ++i) {
      short_lived.emplace_back([&go, i] {
        while (!go.load(std::memory_order_relaxed)) std::this_thread::yield();
        for (std::atomic<int> work{0}; work < i * 200;) ++work;
      });
    }
    LiveThread survivor;  // listed after the threads that end
    Rescan();
    const uint32_t serial = SerialOf(survivor.tid());
    ASSERT_NE(serial, 0u);
    go = true;
    for (int scan = 0; scan < 20; ++scan) {
      Rescan();
      ASSERT_EQ(SerialOf(survivor.tid()), serial) << "round " << round << ", scan " << scan;
    }
    for (std::thread& thread : short_lived) thread.join();
  }
}

// Java threads come and go while the watcher scans and handlers look for their slots.
TEST_F(ClaimedSlotsTest, ConcurrentStartsEndsSignalsAndScansLoseNoSlot) {
  std::atomic<bool> stop{false};
  std::thread watcher([&] {
    while (!stop.load(std::memory_order_relaxed)) Rescan();
  });
  std::vector<std::thread> java_threads;
  std::atomic<int> foreign{0};
  for (int i = 0; i < 3; ++i) {
    java_threads.emplace_back([&] {
      for (int round = 0; round < 300; ++round) {
        registry_.OnJavaThreadStart(&foreign, JavaNamed("java"));
        InSignal([&] {
          const ThreadSlot* own = slots_.ForCurrentThread(kNoHint);
          if (own == nullptr || own->tid.load() != CurrentTid()) foreign.fetch_add(1);
        });
        registry_.OnJavaThreadEnd(nullptr);
        if (round % 3 == 0) InSignal([&] { slots_.ForCurrentThread(kNoHint); });
      }
    });
  }
  for (std::thread& thread : java_threads) thread.join();
  stop = true;
  watcher.join();
  Rescan();
  EXPECT_EQ(foreign.load(), 0);
  EXPECT_EQ(books_.live.size(), registry_.Counts().slots_in_use);
  size_t taken = 0;
  for (uint32_t i = 0; i < slots_.HighWater(); ++i) taken += slots_.IsTaken(i) ? 1 : 0;
  EXPECT_EQ(taken, registry_.Counts().slots_in_use) << "each taken slot has a registered thread";
}

}  // namespace
}  // namespace jprof
