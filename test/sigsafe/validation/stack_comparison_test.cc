#include "sigsafe/validation/stack_comparison.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

#include "os/pages.h"
#include "sigsafe/os/thread_id.h"

namespace jprof {
namespace {

class StackComparisonTest : public testing::Test {
 protected:
  static ShadowStacks& Stacks() {
    static ShadowStacks* const stacks =
        new ShadowStacks(Pages::Reserve(ShadowStacks::kBytes).value().Leak());
    return *stacks;
  }

  std::unique_ptr<StackComparison> comparison_ = std::make_unique<StackComparison>(Stacks());
};

TEST_F(StackComparisonTest, OnlyTheAskedThreadClaimsARequest) {
  EXPECT_EQ(comparison_->Claim(CurrentTid()), nullptr);
  AgctCalls calls({nullptr, 0});
  comparison_->Open(CurrentTid(), &calls);
  EXPECT_EQ(comparison_->asgct(), &calls);
  EXPECT_EQ(comparison_->Claim(Tid{1}), nullptr);
  EXPECT_NE(comparison_->Claim(CurrentTid()), nullptr);
  EXPECT_EQ(comparison_->Claim(CurrentTid()), nullptr);
}

TEST_F(StackComparisonTest, AnAnswerIsSeenOnceItIsPublished) {
  comparison_->Open(CurrentTid(), nullptr);
  ComparedStacks* const answer = comparison_->Claim(CurrentTid());
  ASSERT_NE(answer, nullptr);
  answer->thread = 99;
  EXPECT_EQ(comparison_->Poll(), nullptr);
  comparison_->Publish();
  ASSERT_NE(comparison_->Poll(), nullptr);
  EXPECT_EQ(comparison_->Poll()->thread, 99);
}

TEST_F(StackComparisonTest, AWithdrawnRequestIsNotAnswered) {
  comparison_->Open(CurrentTid(), nullptr);
  EXPECT_TRUE(comparison_->Withdraw());
  EXPECT_EQ(comparison_->Claim(CurrentTid()), nullptr);
}

TEST_F(StackComparisonTest, ARequestThatIsBeingAnsweredCannotBeWithdrawn) {
  comparison_->Open(CurrentTid(), nullptr);
  ASSERT_NE(comparison_->Claim(CurrentTid()), nullptr);
  EXPECT_FALSE(comparison_->Withdraw());
  comparison_->Publish();
  EXPECT_NE(comparison_->Poll(), nullptr);
}

// The requester either withdraws or gets the answer to its own request, whichever comes first.
TEST_F(StackComparisonTest, WithdrawalAndAnswerExcludeEachOther) {
  std::atomic<bool> is_over{false};
  std::atomic<Tid> asked{Tid{0}};
  std::thread answerer([&] {
    asked = CurrentTid();
    while (!is_over) {
      ComparedStacks* const answer = comparison_->Claim(CurrentTid());
      if (answer == nullptr) continue;
      answer->interrupted_pc = answer->thread + 1;
      comparison_->Publish();
    }
  });
  while (Value(asked.load()) == 0) std::this_thread::yield();
  // The answerer needs a processor to answer, so the number of rounds is not fixed.
  constexpr int kEnough = 1000;
  int answered = 0;
  int withdrawn = 0;
  for (int i = 0; answered < kEnough || withdrawn < kEnough; ++i) {
    comparison_->Open(asked.load(), nullptr);
    for (int k = 0; k < i % 5000; ++k) asm volatile("");
    if (comparison_->Withdraw()) {
      ++withdrawn;
      EXPECT_EQ(comparison_->Poll(), nullptr);
      continue;
    }
    while (comparison_->Poll() == nullptr) std::this_thread::yield();
    ++answered;
  }
  is_over = true;
  answerer.join();
}

}  // namespace
}  // namespace jprof
