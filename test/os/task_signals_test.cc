#include <gtest/gtest.h>
#include <signal.h>

#include "os/task_list.h"
#include "support/live_thread.h"

namespace jprof {
namespace {

TEST(TaskSignalsTest, AThreadBlocksWhatItHasBlockedAndNothingElse) {
  test::LiveThread thread;
  EXPECT_EQ(TaskBlocksSignal(thread.tid(), SIGPROF), false);
  thread.Run([] {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGPROF);
    pthread_sigmask(SIG_BLOCK, &one, nullptr);
  });
  EXPECT_EQ(TaskBlocksSignal(thread.tid(), SIGPROF), true);
  EXPECT_EQ(TaskBlocksSignal(thread.tid(), SIGVTALRM), false);
}

TEST(TaskSignalsTest, AThreadSleepsWhileItWaitsAndNotWhileItRuns) {
  test::LiveThread thread;
  while (TaskSleeps(thread.tid()) != true) sched_yield();
  EXPECT_EQ(TaskSleeps(CurrentTid()), false);
}

TEST(TaskSignalsTest, HasNoAnswerForAnExitedThread) {
  test::LiveThread thread;
  thread.End();
  EXPECT_EQ(TaskSleeps(thread.tid()), std::nullopt);
  EXPECT_EQ(TaskBlocksSignal(thread.tid(), SIGPROF), std::nullopt);
}

TEST(TaskSignalsTest, HasNoAnswerForATextWithoutTheState) {
  EXPECT_EQ(ParseSleeps("Name:\tjava\nState:\tS (sleeping)\n"), true);
  EXPECT_EQ(ParseSleeps("Name:\tjava\nState:\tR (running)\n"), false);
  EXPECT_EQ(ParseSleeps("Name:\tjava\nState:\t"), std::nullopt);
  EXPECT_EQ(ParseSleeps(""), std::nullopt);
}

TEST(TaskSignalsTest, HasNoAnswerForATextWithoutTheMask) {
  EXPECT_EQ(ParseBlocksSignal("Name:\tjava\nSigBlk:\tffffffffffffffff\n", 64), true);
  EXPECT_EQ(ParseBlocksSignal("Name:\tjava\nSigBlk:\t0000000000000001\n", 1), true);
  EXPECT_EQ(ParseBlocksSignal("Name:\tjava\nSigBlk:\t0000000000000001\n", 2), false);
  EXPECT_EQ(ParseBlocksSignal("Name:\tjava\nSigBlk:\tx\n", 1), std::nullopt);
  EXPECT_EQ(ParseBlocksSignal("Name:\tSigBlk:\n", 1), std::nullopt);
  EXPECT_EQ(ParseBlocksSignal("", 1), std::nullopt);
}

}  // namespace
}  // namespace jprof
