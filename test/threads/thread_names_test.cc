#include "threads/thread_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <memory>
#include <string>
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

TEST_F(ThreadNamesTest, KeepsAnEndedThreadUntilItIsForgotten) {
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

TEST_F(ThreadNamesTest, ForgettingKeepsThreadsThatEndedSince) {
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

TEST_F(ThreadNamesTest, AnUnknownSerialHasItsTid) {
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

TEST_F(ThreadNamesTest, NamesANativeThreadByItsAnnouncedEnd) {
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

TEST_F(ThreadNamesTest, FindsTheNewNamesOfARenamedThread) {
  LiveThread thread;
  thread.Run([&] { registry_.OnJavaThreadStart(&thread, JavaNamed("old", 7)); });
  const uint32_t serial = SerialOf(thread.tid());
  for (int i = 0; i < 3; ++i) registry_.names().Find(serial, thread.tid());  // settles the name
  thread.Run([] { pthread_setname_np(pthread_self(), "new-os"); });
  registry_.names().SetJavaNames({{7, "new"}, {8, "somebody else's"}}, MonotonicNanos());
  registry_.names().ExpectNewNames(ThreadNames::Renamed::kNative);
  EXPECT_EQ(registry_.names().Find(serial, thread.tid())->java.name, "new");
  EXPECT_EQ(registry_.names().Find(serial, thread.tid())->os_name, "new-os");
}

TEST_F(ThreadNamesTest, ASampleFindsTheNameThatItsThreadHadAtItsTime) {
  LiveThread thread;
  thread.Run([&] { registry_.OnJavaThreadStart(&thread, JavaNamed("first", 7)); });
  const uint32_t serial = SerialOf(thread.tid());
  ThreadNames& names = registry_.names();
  EXPECT_EQ(names.NamedSince(serial), 0);
  const Nanos first_ns = MonotonicNanos();
  names.SetJavaNames({{7, "first"}}, first_ns);
  const Nanos second_ns = first_ns + kNanosPerSecond;
  names.SetJavaNames({{7, "second"}}, second_ns);
  names.SetJavaNames({{7, "second"}}, second_ns + kNanosPerSecond);
  names.SetJavaNames({{7, "third"}}, second_ns + 2 * kNanosPerSecond);
  const auto name_at = [&](Nanos time_ns) {
    return names.FindAt(serial, thread.tid(), time_ns)->java.name;
  };
  // Each name counts from the time when the previous name was last read.
  EXPECT_EQ(name_at(first_ns - 1), "first");
  EXPECT_EQ(name_at(first_ns), "second");
  EXPECT_EQ(name_at(second_ns + kNanosPerSecond - 1), "second");
  EXPECT_EQ(name_at(second_ns + kNanosPerSecond), "third");
  EXPECT_EQ(names.NamedSince(serial), second_ns + kNanosPerSecond);
}

TEST_F(ThreadNamesTest, AnEndedThreadHasTheNameThatItAnnouncedAtItsEnd) {
  LiveThread thread;
  registry_.ExpectNativeEnds(NativeEnds::kAnnounced);
  thread.Run([&] {
    registry_.OnNativeThreadStart(MonotonicNanos());
    registry_.OnJavaThreadStart(&thread, JavaNamed("Thread-1", 7));
  });
  const uint32_t serial = SerialOf(thread.tid());
  const Nanos before_ns = MonotonicNanos();
  thread.Run([&] { registry_.OnJavaThreadEnd(&thread, "order-1"); });
  // The list was made before the thread announced its last name.
  registry_.names().SetJavaNames({{7, "Thread-1"}}, before_ns);
  thread.Run([&] { registry_.OnNativeThreadEnd(); });
  EXPECT_EQ(registry_.names().Find(serial, thread.tid())->java.name, "order-1");
}

TEST_F(ThreadNamesTest, ANativeThreadThatRenamesItselfLateEndsUnderItsLastName) {
  LiveThread thread;
  registry_.ExpectNativeEnds(NativeEnds::kAnnounced);
  thread.Run([&] {
    registry_.OnNativeThreadStart(MonotonicNanos());
    pthread_setname_np(pthread_self(), "worker");
  });
  const uint32_t serial = SerialOf(thread.tid());
  for (int i = 0; i < 3; ++i) registry_.names().Find(serial, thread.tid());  // settles the name
  const Nanos before_ns = MonotonicNanos();
  thread.Run([] { pthread_setname_np(pthread_self(), "batch"); });
  thread.Run([&] { registry_.OnNativeThreadEnd(); });
  EXPECT_EQ(registry_.names().Find(serial, thread.tid())->os_name, "batch");
  EXPECT_EQ(registry_.names().FindAt(serial, thread.tid(), before_ns - kNanosPerSecond)->os_name,
            "worker");
}

TEST_F(ThreadNamesTest, FormerNamesAreBounded) {
  LiveThread thread;
  thread.Run([&] { registry_.OnJavaThreadStart(&thread, JavaNamed("0", 7)); });
  const uint32_t serial = SerialOf(thread.tid());
  const Nanos start_ns = MonotonicNanos();
  for (int i = 0; i < 1000; ++i) {
    registry_.names().SetJavaNames({{7, std::to_string(i)}}, start_ns + i);
  }
  EXPECT_EQ(registry_.names().FindAt(serial, thread.tid(), 0)->java.name, "983");
}

}  // namespace
}  // namespace jprof
