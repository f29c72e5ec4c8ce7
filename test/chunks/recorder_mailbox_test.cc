#include "chunks/recorder_mailbox.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace jprof {
namespace {

RecordingSummary Cpu(uint64_t count) {
  RecordingSummary summary;
  summary.recorded[0] = count;
  return summary;
}

TEST(RecorderMailboxTest, ReportsTheOutcomeOfBeginToItsCaller) {
  RecorderMailbox begun;
  std::thread recorder([&] {
    begun.ReportReady();
    EXPECT_TRUE(begun.AwaitPermission());
    begun.ReportBegin({});
  });
  EXPECT_TRUE(begun.AwaitReady().ok());
  EXPECT_TRUE(begun.Begin().ok());
  recorder.join();
  RecorderMailbox failed;
  failed.ReportBegin(Error("disk full"));
  EXPECT_EQ(failed.Begin().error().message(), "disk full");
  RecorderMailbox ended;
  ended.ReportEnd(Error("no JVM"));
  EXPECT_EQ(ended.AwaitReady().error().message(), "no JVM");
}

TEST(RecorderMailboxTest, DoesNotBeginAfterARefusal) {
  RecorderMailbox mailbox;
  std::thread recorder([&] { EXPECT_FALSE(mailbox.AwaitPermission()); });
  mailbox.Refuse();
  recorder.join();
}

TEST(RecorderMailboxTest, ASealIsWantedUntilItIsReported) {
  RecorderMailbox mailbox;
  EXPECT_FALSE(mailbox.SealIsWanted());
  std::thread asker([&] {
    const Result<RecordingSummary> summary = mailbox.Seal();
    ASSERT_TRUE(summary.ok());
    EXPECT_EQ(summary.value().recorded[0], 7u);
  });
  while (!mailbox.SealIsWanted()) {
  }
  mailbox.Publish(Cpu(7));
  mailbox.ReportSeal({});
  asker.join();
  EXPECT_FALSE(mailbox.SealIsWanted());
  EXPECT_EQ(mailbox.Latest().recorded[0], 7u);
}

TEST(RecorderMailboxTest, ReportsAFailedSealToItsCaller) {
  RecorderMailbox mailbox;
  std::thread asker([&] { EXPECT_EQ(mailbox.Seal().error().message(), "disk full"); });
  while (!mailbox.SealIsWanted()) {
  }
  mailbox.ReportSeal(Error("disk full"));
  asker.join();
}

TEST(RecorderMailboxTest, NoCallerWaitsForARecorderThatHasEnded) {
  RecorderMailbox mailbox;
  mailbox.ReportEnd(Error("no space"));
  EXPECT_EQ(mailbox.Seal().error().message(), "no space");
}

TEST(RecorderMailboxTest, EveryCallerIsAnswered) {
  RecorderMailbox mailbox;
  std::atomic<int> answered{0};
  std::vector<std::thread> askers;
  for (int i = 0; i < 8; ++i) {
    askers.emplace_back([&] {
      if (mailbox.Seal().ok()) ++answered;
    });
  }
  while (answered < 8) {
    if (mailbox.SealIsWanted()) mailbox.ReportSeal({});
  }
  for (std::thread& asker : askers) asker.join();
  EXPECT_EQ(answered, 8);
}

}  // namespace
}  // namespace jprof
