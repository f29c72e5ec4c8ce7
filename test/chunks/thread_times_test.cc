#include "chunks/thread_times.h"

#include <gtest/gtest.h>

#include "support/live_thread.h"
#include "threads/registry_world.h"

namespace jprof {
namespace {

using test::LiveThread;

class ThreadTimesTest : public test::RegistryTest {
 protected:
  ThreadTimesTest() {
    Begin();
    times_.Start();
    times_.Forget();
  }

  ThreadTimes times_{registry_};
};

// The list of tasks can show a thread before the thread announces itself.
TEST_F(ThreadTimesTest, AThreadThatTheTaskListShowsFirstHasAnEvent) {
  LiveThread thread;
  ASSERT_TRUE(registry_.Rescan(PrimingPath::kWatcher).ok());
  thread.Run([&] {
    registry_.OnJavaThreadStart(this, test::JavaNamed("short"));
    registry_.OnJavaThreadEnd(nullptr);
  });
  EXPECT_EQ(times_.Forget(), 1U);
}

}  // namespace
}  // namespace jprof
