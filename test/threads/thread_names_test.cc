#include "threads/thread_names.h"

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

class ThreadNamesTest : public test::RegistryTest {};

TEST_F(ThreadNamesTest, WhatIsKnownOfAnEndedThreadStaysUntilItIsForgotten) {
  auto thread = std::make_unique<LiveThread>();
  const Tid tid = thread->tid();
  thread->Run([] { pthread_setname_np(pthread_self(), "shortly"); });
  Rescan();
  const uint32_t serial = SerialOf(tid);
  EXPECT_EQ(registry_.names().Find(serial, tid)->os_name, "shortly");
  thread->End();
  EXPECT_THAT(registry_.names().Ended(), Not(Contains(serial)));
  Rescan();
  EXPECT_THAT(registry_.names().Ended(), ElementsAre(serial));
  EXPECT_EQ(registry_.names().Find(serial, tid)->os_name, "shortly");
  registry_.names().ForgetEnded(registry_.names().Ended());
  EXPECT_TRUE(registry_.names().Ended().empty());
  EXPECT_EQ(registry_.names().Find(serial, tid)->os_name, "");
}

TEST_F(ThreadNamesTest, ForgettingLeavesThoseThatEndedMeanwhile) {
  auto first = std::make_unique<LiveThread>();
  auto second = std::make_unique<LiveThread>();
  Rescan();
  const uint32_t second_serial = SerialOf(second->tid());
  first->End();
  Rescan();
  const std::vector<uint32_t> drained = registry_.names().Ended();
  second->End();
  Rescan();
  registry_.names().ForgetEnded(drained);
  EXPECT_THAT(registry_.names().Ended(), ElementsAre(second_serial));
  EXPECT_EQ(registry_.names().Find(second_serial, Tid{0})->serial, second_serial);
}

TEST_F(ThreadNamesTest, ASerialThatNobodyKnowsHasItsTidAtLeast) {
  const auto info = registry_.names().Find(999'999, Tid{5});
  EXPECT_EQ(info->serial, 999'999u);
  EXPECT_EQ(info->tid, Tid{5});
  EXPECT_EQ(info->os_name, "");
}

TEST_F(ThreadNamesTest, AThreadThatNamesItselfLateIsFoundUnderThatName) {
  LiveThread thread;
  Rescan();
  thread.Run([] { pthread_setname_np(pthread_self(), "late-name"); });
  EXPECT_EQ(registry_.names().Find(SerialOf(thread.tid()), thread.tid())->os_name, "late-name");
}

TEST_F(ThreadNamesTest, ANativeThreadThatSaysWhenItEndsIsNamedByThenAtTheLatest) {
  LiveThread thread;
  registry_.ExpectNativeEnds(NativeEnds::kAnnounced);
  thread.Run([&] {
    registry_.OnNativeThreadStart(MonotonicNanos());
    pthread_setname_np(pthread_self(), "brief");
  });
  const uint32_t serial = SerialOf(thread.tid());
  thread.Run([&] { registry_.OnNativeThreadEnd(); });
  EXPECT_EQ(registry_.names().Find(serial, thread.tid())->os_name, "brief");
}

TEST_F(ThreadNamesTest, ARenamedThreadHasItsNewNamesAfterTheyWereAskedFor) {
  LiveThread thread;
  thread.Run([&] { registry_.OnJavaThreadStart(&thread, JavaNamed("old", 7)); });
  const uint32_t serial = SerialOf(thread.tid());
  for (int i = 0; i < 3; ++i) registry_.names().Find(serial, thread.tid());  // settled
  thread.Run([] { pthread_setname_np(pthread_self(), "new-os"); });
  registry_.names().UpdateJavaThread(thread.tid(), {"new", 7, {"group"}});
  registry_.names().ExpectNewNames();
  EXPECT_EQ(registry_.names().Find(serial, thread.tid())->java,
            (JavaThreadInfo{"new", 7, {"group"}}));
  EXPECT_EQ(registry_.names().Find(serial, thread.tid())->os_name, "new-os");
  // Read from a thread that has ended meanwhile and whose tid is this one's now.
  registry_.names().UpdateJavaThread(thread.tid(), JavaNamed("somebody else's", 8));
  EXPECT_EQ(registry_.names().Find(serial, thread.tid())->java.name, "new");
}

}  // namespace
}  // namespace jprof
