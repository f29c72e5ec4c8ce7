#include "threads/task_watcher.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>

#include "sigsafe/os/clock.h"
#include "support/live_thread.h"
#include "support/sanitizer.h"
#include "threads/registry_world.h"

namespace jprof {
namespace {

using test::LiveThread;

class TaskWatcherTest : public test::RegistryTest {
 protected:
  // Waits until `done` is true; false after 60 s. The watcher looks at least once a second.
  template <typename Condition>
  static bool Eventually(Condition&& done) {
    const Nanos end_ns = MonotonicNanos() + 60 * kNanosPerSecond;
    while (!done()) {
      if (MonotonicNanos() > end_ns) return false;
      usleep(5000);
    }
    return true;
  }
};

TEST_F(TaskWatcherTest, FindsStartAndEndOfALaterNativeThread) {
  Result<std::unique_ptr<TaskWatcher>> watcher = TaskWatcher::Start(registry_);
  ASSERT_TRUE(watcher.ok());
  auto thread = std::make_unique<LiveThread>();
  const Tid tid = thread->tid();
  EXPECT_TRUE(Eventually([&] { return SlotOf(tid) != nullptr; }));
  thread->End();
  EXPECT_TRUE(Eventually([&] { return SlotOf(tid) == nullptr; }));
}

TEST_F(TaskWatcherTest, FindsAThreadThatReplacesAnother) {
  auto first = std::make_unique<LiveThread>();
  Result<std::unique_ptr<TaskWatcher>> watcher = TaskWatcher::Start(registry_);
  ASSERT_TRUE(Eventually([&] { return SlotOf(first->tid()) != nullptr; }));
  first->End();
  LiveThread second;
  EXPECT_TRUE(Eventually([&] { return SlotOf(second.tid()) != nullptr; }));
}

TEST_F(TaskWatcherTest, TheWatchersOwnThreadIsNotProfiled) {
  if (test::kUnderTsan) GTEST_SKIP() << "the sanitizer has a thread of its own";
  Result<std::unique_ptr<TaskWatcher>> watcher = TaskWatcher::Start(registry_);
  EXPECT_TRUE(Eventually([&] { return registry_.Counts().slots_in_use != 0; }));
  Rescan();
  EXPECT_EQ(registry_.Counts().slots_in_use, 1u) << "this thread alone";
}

TEST_F(TaskWatcherTest, AfterItsEndNothingIsScanned) {
  { Result<std::unique_ptr<TaskWatcher>> watcher = TaskWatcher::Start(registry_); }
  const LiveThread thread;
  usleep(300'000);
  EXPECT_EQ(SlotOf(thread.tid()), nullptr);
}

}  // namespace
}  // namespace jprof
