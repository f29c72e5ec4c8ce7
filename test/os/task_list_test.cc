#include "os/task_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <memory>

#include "sigsafe/os/thread_id.h"
#include "support/live_thread.h"

namespace jprof {
namespace {

using test::LiveThread;
using testing::Contains;
using testing::Not;

TEST(TaskListTest, LivingThreadsAreListedCountedAndExist) {
  LiveThread first;  // ThreadSanitizer starts a thread of its own with the first one
  const int before = CountTasks();
  LiveThread a;
  LiveThread b;
  const Result<std::vector<Tid>> tasks = ListTasks();
  ASSERT_TRUE(tasks.ok());
  for (const Tid tid : {CurrentTid(), a.tid(), b.tid()}) {
    EXPECT_THAT(tasks.value(), Contains(tid));
    EXPECT_TRUE(TaskExists(tid));
  }
  EXPECT_EQ(CountTasks(), before + 2);
  EXPECT_EQ(tasks.value().size(), static_cast<size_t>(before) + 2);
}

TEST(TaskListTest, AnExitedThreadHasNeitherNameNorStart) {
  LiveThread thread;
  const Tid tid = thread.tid();
  EXPECT_NE(TaskStartTicks(tid), 0u);
  thread.End();
  EXPECT_FALSE(TaskExists(tid));
  EXPECT_EQ(TaskName(tid), "");
  EXPECT_EQ(TaskStartTicks(tid), 0u);
  EXPECT_THAT(ListTasks().value(), Not(Contains(tid)));
}

TEST(TaskListTest, AThreadOfAnotherProcessIsNotOurs) {
  EXPECT_FALSE(TaskExists(Tid{getppid()}));
  EXPECT_EQ(TaskName(Tid{getppid()}), "");
}

TEST(TaskListTest, ReadsTheStartAfterAnyName) {
  LiveThread thread;
  const uint64_t start = TaskStartTicks(thread.tid());
  for (const char* name : {"a) S 1 2 (b", "ends with )", "  blanks  ", "fifteen bytes!!"}) {
    thread.Run([name] {
      pthread_setname_np(pthread_self(), name);
      EXPECT_EQ(CurrentTaskName(), name);
    });
    EXPECT_EQ(TaskName(thread.tid()), name);
    EXPECT_EQ(TaskStartTicks(thread.tid()), start) << name;
  }
}

TEST(TaskListTest, ALaterThreadDoesNotStartEarlier) {
  LiveThread first;
  usleep(30'000);
  LiveThread second;
  EXPECT_GT(TaskStartTicks(second.tid()), TaskStartTicks(first.tid()));
}

}  // namespace
}  // namespace jprof
