#include "sigsafe/stack/root_budget.h"

#include <gtest/gtest.h>

#include <limits>

#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr Nanos kMillisecond = 1'000'000;

void Burn(Nanos cpu_ns) {
  const Nanos end_ns = ThreadCpuNanos() + cpu_ns;
  while (ThreadCpuNanos() < end_ns) {
  }
}

class RootBudgetTest : public testing::Test {
 protected:
  // Overdraws the account of the process, so that it grants nothing for ten seconds.
  RootBudgetTest() {
    thread_.walk_account_ns = std::numeric_limits<Nanos>::max() / 2;
    RootBudget budget(thread_, RootBudget::kLeafFrames);
    if (budget.GrantFrames() == 0) return;
    Burn(100 * kMillisecond);
    budget.Pay();
  }

  // Gives the account of the thread the most that it can save.
  void SaveUp() {
    thread_.walk_account_ns = ThreadCpuNanos() - RootBudget::kThreadShare * RootBudget::kMostNs;
  }

  uint32_t Granted(Nanos walk_ns) {
    RootBudget budget(thread_, RootBudget::kLeafFrames);
    const uint32_t frames = budget.GrantFrames();
    if (frames != 0) Burn(walk_ns);
    budget.Pay();
    return frames;
  }

  ThreadSlot thread_{};
};

TEST_F(RootBudgetTest, AThreadThatHasSpentItsShareGetsNothing) {
  thread_.walk_account_ns = ThreadCpuNanos();
  EXPECT_EQ(Granted(0), 0u);
}

TEST_F(RootBudgetTest, TheCreditIsLimited) {
  thread_.walk_account_ns = ThreadCpuNanos() - 3600 * kNanosPerSecond;
  EXPECT_EQ(Granted(0), RootBudget::kMostNs / RootBudget::kFrameNs);
}

TEST_F(RootBudgetTest, AWalkPaysWhatItUsesAndNoMore) {
  SaveUp();
  EXPECT_GT(Granted(0), 0u);
  EXPECT_GT(Granted(0), 0u) << "the first walk used nearly nothing";
  EXPECT_GT(Granted(3 * RootBudget::kMostNs), 0u);
  EXPECT_EQ(Granted(0), 0u) << "the last walk used more than the credit";
}

TEST_F(RootBudgetTest, WalksTakeTheirShareOfTheCpuTimeAndNoMore) {
  thread_.walk_account_ns = ThreadCpuNanos();
  constexpr Nanos kWalkNs = 300'000;
  constexpr Nanos kAllNs = 400 * kMillisecond;
  const Nanos begin_ns = ThreadCpuNanos();
  Nanos walked_ns = 0;
  while (ThreadCpuNanos() < begin_ns + kAllNs) {
    const Nanos before_ns = ThreadCpuNanos();
    if (Granted(kWalkNs) != 0) walked_ns += ThreadCpuNanos() - before_ns;
  }
  const Nanos share_ns = (ThreadCpuNanos() - begin_ns) / RootBudget::kThreadShare;
  EXPECT_LE(walked_ns, share_ns + 3 * RootBudget::kMostNs);
  EXPECT_GE(walked_ns, share_ns - 2 * RootBudget::kMostNs);
}

TEST_F(RootBudgetTest, AWalkThatStaysInItsLeafPaysNothing) {
  const Nanos before_ns = thread_.walk_account_ns = ThreadCpuNanos();
  RootBudget budget(thread_, RootBudget::kLeafFrames);
  Burn(kMillisecond);
  budget.Pay();
  EXPECT_EQ(thread_.walk_account_ns, before_ns);
}

}  // namespace
}  // namespace jprof
