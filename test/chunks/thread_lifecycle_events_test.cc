#include "chunks/thread_lifecycle_events.h"

#include <gtest/gtest.h>

#include "support/live_thread.h"
#include "threads/registry_world.h"

namespace jprof {
namespace {

using test::LiveThread;

class ThreadLifecycleEventsTest : public test::RegistryTest {
 protected:
  void LiveOnce(int64_t id) {
    LiveThread thread;
    thread.Run([&] {
      registry_.OnJavaThreadStart(this, test::JavaNamed("life", id));
      registry_.OnJavaThreadEnd(nullptr);
    });
  }
};

// Starts and ends accumulate while the recorder's thread is blocked.
TEST_F(ThreadLifecycleEventsTest, BoundsStartsAndEndsThatNoThreadTakes) {
  constexpr int kThreads = 10;
  constexpr size_t kMost = 4;
  ThreadLifecycleEvents events(registry_, kMost);
  for (int id = 1; id <= kThreads; ++id) LiveOnce(id);
  EXPECT_EQ(events.missed(), 2 * kThreads - kMost);
  EXPECT_EQ(events.Forget(), kMost);
  LiveOnce(kThreads + 1);
  EXPECT_EQ(events.Forget(), 2u) << "there is room again";
  EXPECT_EQ(events.missed(), 2 * kThreads - kMost);
}

}  // namespace
}  // namespace jprof
