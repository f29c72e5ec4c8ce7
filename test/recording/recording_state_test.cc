#include "recording/recording_state.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "os/task_list.h"
#include "sigsafe/os/clock.h"
#include "support/live_thread.h"

namespace jprof {
namespace {

using enum RecordingPhase;
using enum RecordingAction;

TEST(RecordingStateTest, ARecordingIsStartedDumpedAndStopped) {
  RecordingState state;
  EXPECT_EQ(state.phase(), kIdle);
  ASSERT_TRUE(state.Begin(kStart, RecordingState::kForever).ok());
  EXPECT_EQ(state.phase(), kStarting);
  state.End(kRunning);
  ASSERT_TRUE(state.Begin(kDump, RecordingState::kForever).ok());
  EXPECT_EQ(state.phase(), kDumping);
  state.End(kRunning);
  ASSERT_TRUE(state.Begin(kStop, RecordingState::kForever).ok());
  EXPECT_EQ(state.phase(), kStopping);
  state.End(kIdle);
  EXPECT_EQ(state.phase(), kIdle);
}

TEST(RecordingStateTest, RefusesImpossibleActionsAndStaysUnchanged) {
  RecordingState state;
  for (const RecordingAction action : {kDump, kStop}) {
    EXPECT_FALSE(state.Begin(action, RecordingState::kForever).ok());
    EXPECT_EQ(state.phase(), kIdle);
  }
  ASSERT_TRUE(state.Begin(kStart, RecordingState::kForever).ok());
  state.End(kRunning);
  EXPECT_FALSE(state.Begin(kStart, RecordingState::kForever).ok());
  EXPECT_EQ(state.phase(), kRunning);
}

TEST(RecordingStateTest, AFailedStartLeavesNothing) {
  RecordingState state;
  ASSERT_TRUE(state.Begin(kStart, RecordingState::kForever).ok());
  state.End(kIdle);
  EXPECT_FALSE(state.Begin(kStop, RecordingState::kForever).ok());
  EXPECT_TRUE(state.Begin(kStart, RecordingState::kForever).ok());
}

TEST(RecordingStateTest, AStopThatComesDuringADumpWaitsForItsEnd) {
  RecordingState state;
  ASSERT_TRUE(state.Begin(kStart, RecordingState::kForever).ok());
  state.End(kRunning);
  ASSERT_TRUE(state.Begin(kDump, RecordingState::kForever).ok());
  std::atomic<bool> dump_is_over{false};
  std::atomic<bool> is_asking{false};
  std::atomic<bool> has_begun{false};
  test::LiveThread stopper;
  stopper.Start([&] {
    is_asking = true;
    EXPECT_TRUE(state.Begin(kStop, RecordingState::kForever).ok());
    EXPECT_TRUE(dump_is_over);
    has_begun = true;
  });
  const auto waits = [&] {
    const std::string call = TaskSyscall(stopper.tid());
    return call.empty() || call.starts_with(std::to_string(SYS_futex) + ' ');
  };
  while (!has_begun && !(is_asking && waits())) std::this_thread::yield();
  dump_is_over = true;
  state.End(kRunning);
  stopper.Finish();
  state.End(kIdle);
  EXPECT_EQ(state.phase(), kIdle);
}

TEST(RecordingStateTest, ARefusalHasAKindAndASentence) {
  RecordingState state;
  const Status stopped = state.Begin(kStop, 0);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind(), ErrorKind::kNothingRecorded);
  EXPECT_EQ(stopped.error().message(), "nothing is being recorded: there is nothing to stop");
  ASSERT_TRUE(state.Begin(kStart, 0).ok());
  state.End(kRunning);
  const Status started = state.Begin(kStart, 0);
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().kind(), ErrorKind::kAlreadyRecording);
  EXPECT_EQ(started.error().message(), "already recording");
}

TEST(RecordingStateTest, ACommandWaitsWhileItsPatienceLasts) {
  RecordingState state;
  ASSERT_TRUE(state.Begin(kStart, RecordingState::kForever).ok());
  const Nanos begin_ns = MonotonicNanos();
  const Status refused = state.Begin(kStop, kNanosPerSecond);
  EXPECT_GE(MonotonicNanos() - begin_ns, kNanosPerSecond);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message(),
            "busy: other commands have kept the profiler at work for 1 s");
  EXPECT_EQ(refused.error().kind(), ErrorKind::kBusy);
  EXPECT_EQ(state.phase(), kStarting);
  state.End(kRunning);
  ASSERT_TRUE(state.Begin(kRead, 0).ok());
  EXPECT_EQ(Text(state.phase()), "recording");
  EXPECT_FALSE(state.Begin(kDump, 0).ok());
  state.End(kRunning);
  EXPECT_TRUE(state.Begin(kStop, 0).ok());
}

TEST(RecordingStateTest, RunsOneOfManyConcurrentActionsAtATime) {
  RecordingState state;
  std::atomic<int> under_way{0};
  std::atomic<int> started{0};
  std::atomic<int> stopped{0};
  auto act = [&](RecordingAction action, RecordingPhase next, std::atomic<int>& count) {
    for (int i = 0; i < 2000; ++i) {
      if (!state.Begin(action, RecordingState::kForever).ok()) continue;
      EXPECT_EQ(under_way.fetch_add(1), 0);
      ++count;
      under_way.fetch_sub(1);
      state.End(next);
    }
  };
  std::atomic<int> dumped{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back(act, kStart, kRunning, std::ref(started));
    threads.emplace_back(act, kDump, kRunning, std::ref(dumped));
    threads.emplace_back(act, kStop, kIdle, std::ref(stopped));
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(started - stopped, state.phase() == kRunning ? 1 : 0);
  EXPECT_GT(started, 0);
}

}  // namespace
}  // namespace jprof
