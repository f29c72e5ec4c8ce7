#include "threads/thread_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <memory>
#include <vector>

#include "sigsafe/os/clock.h"
#include "support/live_thread.h"
#include "threads/registry_world.h"

namespace jprof {
namespace {

using test::JavaNamed;
using test::LiveThread;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

class ThreadRegistryTest : public test::RegistryTest {};

TEST_F(ThreadRegistryTest, AnIgnoredThreadHasNoSlotBeforeOrAfter) {
  LiveThread before;
  LiveThread after;
  registry_.Ignore(before.tid());
  Rescan();
  EXPECT_EQ(SlotOf(before.tid()), nullptr);
  const uint32_t serial = SerialOf(after.tid());
  registry_.Ignore(after.tid());
  EXPECT_THAT(books_.ended, ElementsAre(serial));
  Rescan();
  EXPECT_EQ(SlotOf(after.tid()), nullptr);
  after.Run([&] { registry_.OnJavaThreadStart(&after, {}); });
  EXPECT_EQ(SlotOf(after.tid()), nullptr);
}

TEST_F(ThreadRegistryTest, AListenerIsCalledUntilItIsRemoved) {
  LiveThread thread;
  Rescan();
  test::BookKeeper late;
  registry_.AddListener(&late);
  EXPECT_EQ(late.live, books_.live);
  registry_.RemoveListener(&late);
  thread.End();
  Rescan();
  EXPECT_TRUE(late.ended.empty());
  EXPECT_EQ(books_.ended.size(), 1u);
}

TEST_F(ThreadRegistryTest, AThreadThatAnnouncesItsEndKeepsItsSlotOnDetach) {
  LiveThread thread;
  registry_.ExpectNativeEnds(NativeEnds::kAnnounced);
  thread.Run([&] { registry_.OnNativeThreadStart(MonotonicNanos()); });
  const uint32_t serial = SerialOf(thread.tid());
  EXPECT_NE(serial, 0u);
  thread.Run([&] { registry_.OnJavaThreadStart(&thread, JavaNamed("java")); });
  EXPECT_EQ(SerialOf(thread.tid()), serial) << "one thread, one slot";
  EXPECT_EQ(SlotOf(thread.tid())->jni_env.load(), &thread);
  thread.Run([&] { registry_.OnJavaThreadEnd(nullptr); });
  EXPECT_EQ(SerialOf(thread.tid()), serial);
  EXPECT_EQ(SlotOf(thread.tid())->jni_env.load(), nullptr);
  thread.Run([&] {
    registry_.OnNativeThreadEnd();
    EXPECT_EQ(CurrentThread(), nullptr);
  });
  EXPECT_EQ(SlotOf(thread.tid()), nullptr);
  EXPECT_THAT(books_.ended, ElementsAre(serial));
}

TEST_F(ThreadRegistryTest, ASlotOlderThanANewThreadIsNotReused) {
  LiveThread thread;
  Rescan();
  const uint32_t serial = SerialOf(thread.tid());
  thread.Run([&] { registry_.OnNativeThreadStart(MonotonicNanos()); });
  EXPECT_NE(SerialOf(thread.tid()), serial);
  EXPECT_EQ(books_.ended.count(serial), 1u);
}

TEST_F(ThreadRegistryTest, AThreadEndsOnDetachIfEndsAreUnannounced) {
  LiveThread thread;
  thread.Run([&] {
    registry_.OnNativeThreadStart(MonotonicNanos());
    registry_.OnJavaThreadStart(&thread, JavaNamed("java"));
    registry_.OnJavaThreadEnd(nullptr);
  });
  EXPECT_EQ(SlotOf(thread.tid()), nullptr);
}

TEST_F(ThreadRegistryTest, AnnouncesOnlySelectedThreads) {
  registry_.RemoveListener(&books_);
  registry_.Begin(ThreadFilter::Parse("worker-*").value());
  registry_.AddListener(&books_);
  LiveThread other;
  LiveThread worker;
  other.Run([&] { registry_.OnJavaThreadStart(&other, JavaNamed("other")); });
  worker.Run([&] { registry_.OnJavaThreadStart(&worker, JavaNamed("worker-1")); });
  Rescan();
  EXPECT_EQ(SlotOf(other.tid()), nullptr);
  EXPECT_THAT(books_.live, ElementsAre(SerialOf(worker.tid())));
  worker.Run([&] { registry_.OnJavaThreadEnd(nullptr); });
  other.Run([&] { registry_.OnJavaThreadEnd(nullptr); });
  EXPECT_TRUE(books_.live.empty());
  EXPECT_EQ(books_.ended.size(), 1u);
}

TEST_F(ThreadRegistryTest, ReportsAThreadOnceItsNameSelectsIt) {
  registry_.RemoveListener(&books_);
  registry_.Begin(ThreadFilter::Parse("late").value());
  registry_.AddListener(&books_);
  LiveThread thread;
  Rescan();
  EXPECT_TRUE(books_.live.empty());
  registry_.SetJavaThread(thread.tid(), &thread, JavaNamed("late"), {});
  EXPECT_EQ(books_.live.size(), 1u);
  thread.End();
  Rescan();
  EXPECT_TRUE(books_.live.empty());
}

TEST_F(ThreadRegistryTest, AJavaThreadIsWalkableFromItsStartToItsEnd) {
  LiveThread thread;
  int env = 0;
  thread.Run([&] {
    registry_.OnJavaThreadStart(&env, JavaNamed("worker", 42));
    ASSERT_NE(CurrentThread(), nullptr);
    EXPECT_EQ(CurrentThread()->jni_env.load(), &env);
    EXPECT_EQ(CurrentThread()->tid.load(), CurrentTid());
  });
  const uint32_t serial = SerialOf(thread.tid());
  const ThreadSlot* slot = SlotOf(thread.tid());
  EXPECT_EQ(registry_.names().Find(serial, thread.tid())->java.name, "worker");
  thread.Run([&] {
    registry_.OnJavaThreadEnd(nullptr);
    EXPECT_EQ(CurrentThread(), nullptr);
  });
  EXPECT_EQ(slot->jni_env.load(), nullptr);
  EXPECT_EQ(slot->tid.load(), Tid{0});
  EXPECT_FALSE(slots_.IsTaken(slot->index));
  EXPECT_THAT(registry_.names().Ended(), ElementsAre(serial));
  EXPECT_EQ(registry_.names().Find(serial, thread.tid())->java.id, 42);
  EXPECT_THAT(books_.ended, ElementsAre(serial));
}

TEST_F(ThreadRegistryTest, ADetachedThreadIsNewToTheNextScan) {
  LiveThread thread;
  int env = 0;
  thread.Run([&] { registry_.OnJavaThreadStart(&env, JavaNamed("java", 1)); });
  const uint32_t java_serial = SerialOf(thread.tid());
  thread.Run([&] { registry_.OnJavaThreadEnd(nullptr); });
  Rescan();
  const uint32_t native_serial = SerialOf(thread.tid());
  EXPECT_NE(native_serial, 0u);
  EXPECT_NE(native_serial, java_serial);
  EXPECT_EQ(registry_.names().Find(native_serial, thread.tid())->java.name, "");
  EXPECT_EQ(SlotOf(thread.tid())->jni_env.load(), nullptr);
}

TEST_F(ThreadRegistryTest, AJavaThreadThatAScanFoundFirstKeepsItsSlot) {
  LiveThread thread;
  int env = 0;
  Rescan();
  const uint32_t serial = SerialOf(thread.tid());
  thread.Run([&] { registry_.OnJavaThreadStart(&env, JavaNamed("java")); });
  EXPECT_EQ(SerialOf(thread.tid()), serial);
  EXPECT_EQ(registry_.names().Find(serial, thread.tid())->java.name, "java");
}

TEST_F(ThreadRegistryTest, TheEndOfAnUnregisteredJavaThreadIsHarmless) {
  LiveThread thread;
  thread.Run([&] { registry_.OnJavaThreadEnd(nullptr); });
  EXPECT_TRUE(books_.ended.empty());
}

TEST_F(ThreadRegistryTest, NamesExistingJavaThreadsWithAndWithoutAScan) {
  LiveThread seen;
  int env = 0;
  Rescan();
  LiveThread unseen;
  for (LiveThread* thread : {&seen, &unseen}) {
    registry_.SetJavaThread(thread->tid(), &env, JavaNamed("main"), {0x1000, 0x3000});
    const ThreadSlot* slot = SlotOf(thread->tid());
    ASSERT_NE(slot, nullptr);
    EXPECT_EQ(slot->jni_env.load(), &env);
    EXPECT_EQ(slot->stack_low.load(), 0x1000u);
    EXPECT_EQ(slot->stack_high.load(), 0x3000u);
    EXPECT_EQ(registry_.names().Find(SerialOf(thread->tid()), thread->tid())->java.name, "main");
  }
  unseen.End();
  registry_.SetJavaThread(unseen.tid(), &env, JavaNamed("gone"), {});
  EXPECT_NE(registry_.names().Find(SerialOf(unseen.tid()), unseen.tid())->java.name, "gone");
}

TEST_F(ThreadRegistryTest, IgnoresAListOlderThanADetach) {
  LiveThread thread;
  int old_env = 0;
  int env = 0;
  thread.Run([&] {
    registry_.OnJavaThreadStart(&old_env, JavaNamed("old"));
    registry_.OnJavaThreadEnd(nullptr);
  });
  registry_.SetJavaThread(thread.tid(), &old_env, JavaNamed("old"), {});
  const ThreadSlot* slot = SlotOf(thread.tid());
  EXPECT_TRUE(slot == nullptr || slot->jni_env.load() == nullptr);
  thread.Run([&] { registry_.OnJavaThreadStart(&env, JavaNamed("new", 2)); });
  registry_.SetJavaThread(thread.tid(), &old_env, JavaNamed("old"), {});
  slot = SlotOf(thread.tid());
  ASSERT_NE(slot, nullptr);
  EXPECT_EQ(slot->jni_env.load(), &env);
}

TEST_F(ThreadRegistryTest, SetsTheStackBoundsOfAThreadThatAnnouncesItself) {
  for (const bool java : {false, true}) {
    LiveThread thread;
    uintptr_t local = 0;
    thread.Run([&] {
      int here = 0;
      local = reinterpret_cast<uintptr_t>(&here);
      if (java) {
        registry_.OnJavaThreadStart(&thread, JavaNamed("java"));
      } else {
        registry_.OnNativeThreadStart(MonotonicNanos());
      }
    });
    const ThreadSlot* slot = SlotOf(thread.tid());
    ASSERT_NE(slot, nullptr);
    EXPECT_LT(slot->stack_low.load(), local);
    EXPECT_GT(slot->stack_high.load(), local);
  }
  LiveThread unannounced;
  Rescan();
  EXPECT_EQ(SlotOf(unannounced.tid())->stack_high.load(), 0u);
}

TEST_F(ThreadRegistryTest, ARunForgetsTheJavaThreadsOfTheRunBefore) {
  registry_.RemoveListener(&books_);
  LiveThread thread;
  thread.Run([&] { registry_.OnJavaThreadStart(&thread, JavaNamed("java")); });
  EXPECT_TRUE(java_threads_.Test(thread.tid()));
  EXPECT_EQ(registry_.Counts().java_threads, 1u);
  registry_.Begin({});
  EXPECT_EQ(SlotOf(thread.tid())->jni_env.load(), nullptr) << "it may have detached since";
  EXPECT_FALSE(java_threads_.Test(thread.tid()));
  EXPECT_EQ(registry_.Counts().java_threads, 0u);
}

TEST_F(ThreadRegistryTest, AThreadIsAJavaThreadFromItsStartToItsEnd) {
  LiveThread thread;
  Rescan();
  EXPECT_FALSE(java_threads_.Test(thread.tid()));
  thread.Run([&] { registry_.OnJavaThreadStart(&thread, JavaNamed("java")); });
  EXPECT_TRUE(java_threads_.Test(thread.tid()));
  thread.Run([&] { registry_.OnJavaThreadEnd(nullptr); });
  EXPECT_FALSE(java_threads_.Test(thread.tid()));
}

}  // namespace
}  // namespace jprof
