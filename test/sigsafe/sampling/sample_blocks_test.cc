#include "sigsafe/sampling/sample_blocks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "os/pages.h"
#include "sigsafe/sampling/wall_accounting.h"
#include "support/signal_body.h"

namespace jprof {
namespace {

using test::InSignal;

constexpr size_t kBlocks = 64;
constexpr uint64_t kCapacity = kBlocks * SampleBlock::CapacityFor(SampleKind::kWall);
constexpr uint32_t kAllEpochs = 0xFFFFFFFF;

Sample SampleOf(uint32_t thread, Nanos number, uint32_t epoch = 1) {
  Sample sample{};
  sample.thread = SampledThread::Platform(thread, Tid{1});
  sample.time_ns = number;
  sample.kind = SampleKind::kWall;
  // Shows whether parts of two samples are mixed.
  sample.SetPayload(WallPayload{~number, ThreadActivity::kInIo});
  sample.trace = CallTraceId{uint64_t{epoch} << 32};
  return sample;
}

Nanos ElapsedOf(const Sample& sample) { return sample.Payload<WallPayload>().elapsed_ns; }

class SampleBlocksTest : public testing::Test {
 protected:
  SampleBlocksTest() {
    for (uint32_t i = 0; i < kThreads; ++i) threads_[i].index = i;
  }

  bool Push(uint32_t thread, Nanos number, uint32_t level = 0) {
    return blocks_.Push(threads_[thread], level, SampleOf(thread, number));
  }

  std::vector<Sample> Drained(uint32_t last_epoch = kAllEpochs) {
    std::vector<Sample> samples;
    blocks_.Drain(last_epoch, [&](const Sample& sample) { samples.push_back(sample); });
    return samples;
  }

  static constexpr uint32_t kThreads = 100;

  Pages pages_ = std::move(Pages::Reserve(SampleBlocks::RegionSize(kBlocks))).value();
  SampleBlocks blocks_{pages_.region(), kBlocks};
  ThreadSlot threads_[kThreads] = {};
};

TEST_F(SampleBlocksTest, SamplesComeOutCompleteOnceAndInOrder) {
  InSignal([&] {
    for (Nanos i = 0; i < 100; ++i) Push(1, i);
  });
  const std::vector<Sample> samples = Drained();
  ASSERT_EQ(samples.size(), 100u);
  for (Nanos i = 0; i < 100; ++i) {
    EXPECT_EQ(samples[static_cast<size_t>(i)].time_ns, i);
    EXPECT_EQ(ElapsedOf(samples[static_cast<size_t>(i)]), ~i);
  }
  EXPECT_TRUE(Drained().empty());
}

// A cpu sample is smaller than a wall sample. Each sample starts where the previous one ends.
TEST_F(SampleBlocksTest, KindsOfDifferentSizesShareABlock) {
  constexpr Nanos kSamples = 500;
  const auto is_wall = [](Nanos number) { return number * number % 7 < 3; };
  for (Nanos i = 0; i < kSamples; ++i) {
    Sample sample = SampleOf(1, i);
    if (!is_wall(i)) sample.kind = SampleKind::kCpu;
    sample.weight = static_cast<uint64_t>(i) << 40;
    ASSERT_TRUE(blocks_.Push(threads_[1], 0, sample));
  }
  Nanos expected = 0;
  for (const Sample& sample : Drained()) {
    ASSERT_EQ(sample.time_ns, expected);
    EXPECT_EQ(sample.kind, is_wall(expected) ? SampleKind::kWall : SampleKind::kCpu);
    EXPECT_EQ(sample.weight, static_cast<uint64_t>(expected) << 40);
    const Nanos elapsed_ns = is_wall(expected) ? ElapsedOf(sample) : ~expected;
    EXPECT_EQ(elapsed_ns, ~expected);
    ++expected;
  }
  EXPECT_EQ(expected, kSamples);
}

TEST_F(SampleBlocksTest, ABlockHoldsAsManySamplesAsCapacityForReturns) {
  for (const SampleKindRow& row : kSampleKinds) {
    Sample sample = SampleOf(1, 1);
    sample.kind = row.kind;
    const uint64_t capacity = kBlocks * SampleBlock::CapacityFor(row.kind);
    for (uint64_t i = 0; i < capacity; ++i) ASSERT_TRUE(blocks_.Push(threads_[1], 0, sample));
    EXPECT_FALSE(blocks_.Push(threads_[1], 0, sample)) << row.name;
    EXPECT_EQ(Drained().size(), capacity) << row.name;
  }
  EXPECT_GE(SampleBlock::CapacityFor(SampleKind::kCpu), 23u);
  EXPECT_GE(SampleBlock::CapacityFor(SampleKind::kWall), 19u);
}

TEST_F(SampleBlocksTest, ASampleWithTheLastStackKeepsItsTime) {
  const Nanos samples = 300;
  for (Nanos i = 0; i < samples; ++i) {
    Sample sample = SampleOf(1, i);
    sample.kind = i % 2 == 0 ? SampleKind::kCpu : SampleKind::kWall;
    if (i % 3 == 0) sample.SetLastStackTime(~i);
    ASSERT_TRUE(blocks_.Push(threads_[1], 0, sample));
  }
  Nanos expected = 0;
  for (const Sample& sample : Drained()) {
    ASSERT_EQ(sample.time_ns, expected);
    EXPECT_EQ(sample.stack_ns(), expected % 3 == 0 ? ~expected : expected);
    ++expected;
  }
  EXPECT_EQ(expected, samples);
}

TEST_F(SampleBlocksTest, RefusesSamplesWhenAllBlocksAreFull) {
  for (uint64_t i = 0; i < kCapacity; ++i) ASSERT_TRUE(Push(1, static_cast<Nanos>(i)));
  bool refused = false;
  InSignal([&] { refused = !Push(1, -1); });
  EXPECT_TRUE(refused);
  EXPECT_FALSE(Push(2, -1)) << "there is no block for another thread either";
  const std::vector<Sample> samples = Drained();
  ASSERT_EQ(samples.size(), kCapacity);
  for (const Sample& sample : samples) EXPECT_GE(sample.time_ns, 0);
  EXPECT_TRUE(Push(2, 5));
  EXPECT_EQ(Drained().size(), 1u);
}

TEST_F(SampleBlocksTest, BlocksAreUsedAgainAnyNumberOfTimes) {
  Nanos pushed = 0;
  Nanos sum = 0;
  for (Nanos round = 0; round < 60; ++round) {
    const Nanos burst = static_cast<Nanos>(kCapacity) - 40 - round * 7;
    for (Nanos i = 0; i < burst; ++i) ASSERT_TRUE(Push(1, pushed++));
    for (const Sample& sample : Drained()) sum += sample.time_ns;
  }
  EXPECT_EQ(sum, pushed * (pushed - 1) / 2);
}

TEST_F(SampleBlocksTest, KeepsLaterEpochsUntilTheirDrain) {
  for (uint32_t epoch = 1; epoch <= 3; ++epoch) {
    for (Nanos i = 0; i < 10; ++i) blocks_.Push(threads_[1], 0, SampleOf(1, i, epoch));
    blocks_.Push(threads_[2], 0, SampleOf(2, 0, epoch));
  }
  for (uint32_t epoch = 1; epoch <= 3; ++epoch) {
    const std::vector<Sample> samples = Drained(epoch);
    EXPECT_EQ(samples.size(), 11u);
    for (const Sample& sample : samples) EXPECT_EQ(Value(sample.trace) >> 32, epoch);
  }
}

TEST_F(SampleBlocksTest, EachNestingLevelHasABlockOfItsOwn) {
  for (Nanos i = 0; i < 220; ++i) ASSERT_TRUE(Push(1, i, static_cast<uint32_t>(i) % 4));
  const std::vector<Sample> samples = Drained();
  EXPECT_EQ(samples.size(), 220u);
  for (const auto& block : threads_[1].sample_block) EXPECT_NE(block.load(), nullptr);
}

TEST_F(SampleBlocksTest, DoesNotWriteToABlockOfAnEarlierRun) {
  ASSERT_TRUE(Push(1, 1));
  const Pages other_pages = std::move(Pages::Reserve(SampleBlocks::RegionSize(kBlocks))).value();
  SampleBlocks other(other_pages.region(), kBlocks);
  ASSERT_TRUE(other.Push(threads_[1], 0, SampleOf(1, 2)));
  EXPECT_EQ(Drained().size(), 1u);
  EXPECT_TRUE(Drained().empty());
}

// Each thread takes a block for its first sample, until none is free. Further threads are refused.
TEST_F(SampleBlocksTest, EveryThreadTakesABlockForItsFirstSample) {
  uint32_t accepted = 0;
  for (uint32_t thread = 0; thread < kThreads; ++thread) accepted += Push(thread, 1) ? 1 : 0;
  EXPECT_EQ(accepted, kBlocks);
  EXPECT_EQ(Drained().size(), kBlocks);
}

// Producers push every eighth sample in a signal handler. The consumer cannot always keep up, so
// some samples are refused; every accepted sample must come out once.
TEST_F(SampleBlocksTest, ConcurrentProducersLoseNoAcceptedSample) {
  constexpr uint32_t kProducers = 3;
  constexpr Nanos kAttempts = 60'000;
  std::vector<std::vector<uint8_t>> accepted(kProducers, std::vector<uint8_t>(kAttempts));
  std::vector<std::vector<uint8_t>> received = accepted;
  std::atomic<uint32_t> running{kProducers};
  std::vector<std::thread> producers;
  for (uint32_t who = 0; who < kProducers; ++who) {
    producers.emplace_back([&, who] {
      for (Nanos i = 0; i < kAttempts; ++i) {
        uint8_t& taken = accepted[who][static_cast<size_t>(i)];
        const auto push = [&] { taken = Push(who, i) ? 1 : 0; };
        if (i % 8 == 0) {
          InSignal(push);
        } else {
          push();
        }
      }
      running.fetch_sub(1);
    });
  }
  uint64_t torn = 0;
  const auto drain = [&] {
    blocks_.Drain(kAllEpochs, [&](const Sample& sample) {
      if (ElapsedOf(sample) != ~sample.time_ns) ++torn;
      ++received[sample.thread.serial()][static_cast<size_t>(sample.time_ns)];
    });
  };
  while (running.load() != 0) drain();
  for (std::thread& producer : producers) producer.join();
  drain();
  EXPECT_EQ(torn, 0u);
  for (uint32_t who = 0; who < kProducers; ++who) EXPECT_EQ(received[who], accepted[who]);
}

}  // namespace
}  // namespace jprof
