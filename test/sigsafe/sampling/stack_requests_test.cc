#include "sigsafe/sampling/stack_requests.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "sigsafe/os/thread_id.h"
#include "sigsafe/threads/current_thread.h"
#include "support/sampling_world.h"
#include "support/signal_body.h"

namespace jprof {
namespace {

using test::InSignal;
using test::SamplingWorld;

constexpr Tid kOne{11}, kOther{12};

StackAnswer AnswerOf(uint32_t serial) {
  StackAnswer answer;
  answer.stack = {StackOutcome::kStored, CallTraceId{serial}, int64_t{serial} * 3, serial};
  answer.serial = serial;
  answer.sp = ~uint64_t{serial};
  return answer;
}

// True if all members of the answer come from one call of AnswerOf.
bool IsWhole(const StackAnswer& answer) {
  return answer.stack.trace == CallTraceId{answer.serial} &&
         answer.sp == ~uint64_t{answer.serial} &&
         answer.stack.virtual_thread == int64_t{answer.serial} * 3 &&
         answer.stack.time_ns == answer.serial;
}

class StackRequestsTest : public testing::Test {
 protected:
  StackRequests::Ticket Open(Tid tid) {
    const auto ticket = requests_.Open(tid);
    EXPECT_TRUE(ticket);
    return ticket.value_or(StackRequests::Ticket());
  }
  // Returns the number of cells that can be opened.
  size_t FreeCells() {
    std::vector<StackRequests::Ticket> tickets;
    while (const auto ticket = requests_.Open(Tid{99})) tickets.push_back(*ticket);
    for (const auto& ticket : tickets) static_cast<void>(requests_.Cancel(ticket));
    return tickets.size();
  }

  StackRequests requests_;
};

TEST_F(StackRequestsTest, AnAnswerReachesItsRequestOnceAndFreesTheCell) {
  const auto ticket = Open(kOne);
  EXPECT_FALSE(requests_.Poll(ticket));
  const uint64_t claimed = requests_.Claim(kOne);
  EXPECT_NE(claimed, 0u);
  EXPECT_FALSE(requests_.Poll(ticket));
  requests_.Answer(claimed, AnswerOf(7));
  const auto answer = requests_.Poll(ticket);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(IsWhole(*answer));
  EXPECT_EQ(answer->serial, 7u);
  EXPECT_FALSE(requests_.Poll(ticket));
  EXPECT_EQ(FreeCells(), StackRequests::kCells);
}

TEST_F(StackRequestsTest, OnlyTheAskedThreadClaimsARequest) {
  Open(kOne);
  EXPECT_EQ(requests_.Claim(kOther), 0u);
  EXPECT_NE(requests_.Claim(kOne), 0u);
  EXPECT_EQ(requests_.Claim(kOne), 0u) << "a request is claimed once";
}

TEST_F(StackRequestsTest, OneWalkAnswersAllRequestsForAThread) {
  const auto one = Open(kOne);
  const auto other = Open(kOther);
  const auto again = Open(kOne);
  requests_.Answer(requests_.Claim(kOne), AnswerOf(3));
  EXPECT_TRUE(requests_.Poll(one));
  EXPECT_TRUE(requests_.Poll(again));
  EXPECT_FALSE(requests_.Poll(other));
}

TEST_F(StackRequestsTest, EachAnswerSaysWhetherTheWordOfItsRequestHasItsValue) {
  const uint64_t words[] = {5, 6};
  const auto address = [&words](int i) { return reinterpret_cast<uint64_t>(&words[i]); };
  const auto same = requests_.Open(kOne, {address(0), 5});
  const auto other = requests_.Open(kOne, {address(1), 5});
  const auto none = requests_.Open(kOne);
  ASSERT_TRUE(same && other && none);
  requests_.Answer(requests_.Claim(kOne), AnswerOf(3), true);
  EXPECT_TRUE(requests_.Poll(*same)->holds);
  EXPECT_FALSE(requests_.Poll(*other)->holds);
  EXPECT_FALSE(requests_.Poll(*none)->holds);
  const auto unread = requests_.Open(kOne, {address(0), 5});
  ASSERT_TRUE(unread);
  requests_.Answer(requests_.Claim(kOne), AnswerOf(3), false);
  EXPECT_FALSE(requests_.Poll(*unread)->holds) << "guarded loads may not be used";
}

TEST_F(StackRequestsTest, ALateHandlerFreesAnExpiredRequestWithoutAnsweringIt) {
  const auto ticket = Open(kOne);
  EXPECT_FALSE(requests_.Owes(kOne));
  EXPECT_FALSE(requests_.Expire(ticket));
  EXPECT_TRUE(requests_.Owes(kOne));
  EXPECT_FALSE(requests_.Owes(kOther));
  EXPECT_EQ(FreeCells(), StackRequests::kCells - 1);
  EXPECT_EQ(requests_.Claim(kOne), 0u);
  EXPECT_FALSE(requests_.Owes(kOne));
  EXPECT_EQ(FreeCells(), StackRequests::kCells);
}

TEST_F(StackRequestsTest, TheAnswerToAnAbandonedRequestIsDropped) {
  const auto ticket = Open(kOne);
  const uint64_t claimed = requests_.Claim(kOne);
  EXPECT_FALSE(requests_.Expire(ticket));
  EXPECT_FALSE(requests_.Owes(kOne)) << "its handler is running";
  EXPECT_EQ(FreeCells(), StackRequests::kCells - 1) << "the handler will write to the cell";
  requests_.Answer(claimed, AnswerOf(7));
  EXPECT_FALSE(requests_.Poll(ticket));
  EXPECT_EQ(FreeCells(), StackRequests::kCells);
}

TEST_F(StackRequestsTest, AnOldTicketHasNoEffectOnANewRequest) {
  const auto old_one = Open(kOne);
  static_cast<void>(requests_.Cancel(old_one));
  const auto new_one = Open(kOne);
  ASSERT_EQ(old_one.cell, new_one.cell);
  EXPECT_FALSE(requests_.Expire(old_one));
  requests_.Answer(requests_.Claim(kOne), AnswerOf(5));
  EXPECT_FALSE(requests_.Poll(old_one));
  EXPECT_FALSE(requests_.Expire(old_one));
  EXPECT_TRUE(requests_.Poll(new_one));
}

TEST_F(StackRequestsTest, AnAnswerInTheLastMomentIsNotLost) {
  const auto ticket = Open(kOne);
  requests_.Answer(requests_.Claim(kOne), AnswerOf(5));
  EXPECT_TRUE(requests_.Expire(ticket));
  EXPECT_EQ(FreeCells(), StackRequests::kCells);
}

TEST_F(StackRequestsTest, CellsOfEndedThreadsBecomeFree) {
  for (size_t i = 0; i < StackRequests::kCells; ++i) {
    EXPECT_FALSE(requests_.Expire(Open(i % 2 == 0 ? kOne : kOther)));
  }
  EXPECT_FALSE(requests_.Open(kOne));
  requests_.FreeEnded([](Tid tid) { return tid == kOther; });
  EXPECT_EQ(FreeCells(), StackRequests::kCells / 2);
  EXPECT_TRUE(requests_.Owes(kOne));
  EXPECT_FALSE(requests_.Owes(kOther));
}

// Requesters open, poll and expire requests, while other threads claim and answer at any moment.
// Each answer names the thread that has made it.
TEST_F(StackRequestsTest, UnderLoadEachAnswerIsWholeAndFromTheAskedThread) {
  constexpr int kRequesters = 3, kAsked = 3, kRounds = 20'000;
  std::atomic<int> running = kRequesters;
  std::atomic<uint64_t> answered{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kAsked; ++i) {
    threads.emplace_back([&, i] {
      const auto serial = static_cast<uint32_t>(i + 1);
      while (running.load() != 0) {
        const uint64_t claimed = requests_.Claim(Tid{i + 1});
        if (claimed % 3 == 0) std::this_thread::yield();  // requests expire meanwhile
        requests_.Answer(claimed, AnswerOf(serial));
      }
    });
  }
  for (int i = 0; i < kRequesters; ++i) {
    threads.emplace_back([&, i] {
      std::minstd_rand random(static_cast<unsigned>(i + 1));
      for (int round = 0; round < kRounds; ++round) {
        const auto asked = static_cast<uint32_t>(random() % kAsked + 1);
        const auto ticket = requests_.Open(Tid{static_cast<int32_t>(asked)});
        if (!ticket) {
          std::this_thread::yield();
          continue;
        }
        std::optional<StackAnswer> answer;
        for (unsigned polls = random() % 8; polls != 0 && !answer; --polls) {
          std::this_thread::yield();
          answer = requests_.Poll(*ticket);
        }
        if (!answer) answer = requests_.Expire(*ticket);
        if (!answer) continue;
        answered.fetch_add(1);
        if (!IsWhole(*answer) || answer->serial != asked) wrong.fetch_add(1);
      }
      running.fetch_sub(1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0u);
  EXPECT_GT(answered.load(), 0u);
  for (int i = 0; i < kAsked; ++i) EXPECT_EQ(requests_.Claim(Tid{i + 1}), 0u);
  EXPECT_EQ(FreeCells(), StackRequests::kCells) << "every cell is free in the end";
}

class StackAnswersTest : public testing::Test {
 protected:
  StackAnswersTest() {
    SetCurrentThread(nullptr);
    thread_ = world_.RegisterCurrentThread();
    world_.Activate();
  }
  ~StackAnswersTest() override { SetCurrentThread(nullptr); }

  std::optional<StackAnswer> Ask() {
    StackRequests& requests = StackRequests::OfProcess();
    const auto ticket = requests.Open(CurrentTid());
    if (!ticket) return std::nullopt;
    InSignal([&](void* ucontext) { AnswerStackRequests(thread_->index, ucontext); });
    const auto answer = requests.Poll(*ticket);
    if (!answer) static_cast<void>(requests.Cancel(*ticket));
    return answer;
  }

  SamplingWorld world_;
  ThreadSlot* thread_ = nullptr;
};

TEST_F(StackAnswersTest, TheAskedThreadStoresItsStackAndTakesNoSample) {
  world_.walker().answer = 3;
  const auto answer = Ask();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->stack.outcome, StackOutcome::kStored);
  EXPECT_EQ(answer->serial, thread_->serial.load());
  EXPECT_GT(answer->cpu_ns, 0);
  EXPECT_GT(answer->spent_ns, 0);
  const CallTrace* const trace = world_.table().Find(answer->stack.trace);
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(trace->frame_count, 3u);
  EXPECT_TRUE(world_.Drain().empty());
  EXPECT_EQ(world_.TakeAllLost(), 0u);
}

TEST_F(StackAnswersTest, AThreadWithoutARequestIsNotWalked) {
  InSignal([&](void* ucontext) { AnswerStackRequests(thread_->index, ucontext); });
  EXPECT_EQ(world_.walker().calls, 0u);
}

TEST_F(StackAnswersTest, AnAnswerSaysWhyThereIsNoStack) {
  world_.Deactivate();
  auto answer = Ask();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->stack.outcome, StackOutcome::kNotSampling);
  EXPECT_EQ(world_.walker().calls, 0u);
  world_.Activate();
  WalkBuffer buffer;
  while (world_.buffers().Claim(&buffer)) {
  }
  answer = Ask();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->stack.outcome, StackOutcome::kNoWalkBuffer);
  EXPECT_EQ(world_.TakeAllLost(), 0u);
}

}  // namespace
}  // namespace jprof
