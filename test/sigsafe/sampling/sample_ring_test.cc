#include "sigsafe/sampling/sample_ring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "os/pages.h"
#include "support/signal_body.h"

namespace jprof {
namespace {

using test::InSignal;

Sample SampleOf(uint32_t thread, Nanos number) {
  Sample sample{};
  sample.thread_serial = thread;
  sample.time_ns = number;
  sample.span_ns = ~number;  // so that a torn sample shows
  return sample;
}

class SampleRingTest : public testing::Test {
 protected:
  std::vector<Sample> Drained() {
    std::vector<Sample> samples;
    ring_.Drain([&](const Sample& sample) { samples.push_back(sample); });
    return samples;
  }

  Result<Pages> pages_ = Pages::Reserve(SampleRing::kRegionSize);
  SampleRing ring_{pages_.value().region()};
};

TEST_F(SampleRingTest, SamplesComeOutCompleteAndInOrder) {
  InSignal([&] {
    for (Nanos i = 0; i < 100; ++i) ring_.Push(SampleOf(1, i));
  });
  const std::vector<Sample> samples = Drained();
  ASSERT_EQ(samples.size(), 100u);
  for (Nanos i = 0; i < 100; ++i) {
    EXPECT_EQ(samples[static_cast<size_t>(i)].time_ns, i);
    EXPECT_EQ(samples[static_cast<size_t>(i)].span_ns, ~i);
  }
  EXPECT_TRUE(Drained().empty());
}

TEST_F(SampleRingTest, AFullRingRefusesAndKeepsWhatItHas) {
  for (uint64_t i = 0; i < SampleRing::kCapacity; ++i) {
    ASSERT_TRUE(ring_.Push(SampleOf(1, static_cast<Nanos>(i))));
  }
  bool refused = false;
  InSignal([&] { refused = !ring_.Push(SampleOf(1, -1)); });
  EXPECT_TRUE(refused);
  const std::vector<Sample> samples = Drained();
  ASSERT_EQ(samples.size(), SampleRing::kCapacity);
  EXPECT_EQ(samples.front().time_ns, 0);
  EXPECT_EQ(samples.back().time_ns, static_cast<Nanos>(SampleRing::kCapacity) - 1);
  EXPECT_TRUE(ring_.Push(SampleOf(1, 5)));
  EXPECT_EQ(Drained().size(), 1u);
}

TEST_F(SampleRingTest, ItWrapsAroundAnyNumberOfTimes) {
  Nanos pushed = 0;
  Nanos expected = 0;
  for (int round = 0; round < 40; ++round) {
    const Nanos burst = static_cast<Nanos>(SampleRing::kCapacity) - round * 37;
    for (Nanos i = 0; i < burst; ++i) ASSERT_TRUE(ring_.Push(SampleOf(1, pushed++)));
    ring_.Drain([&](const Sample& sample) { ASSERT_EQ(sample.time_ns, expected++); });
  }
  EXPECT_EQ(expected, pushed);
}

// Producers, in handlers every second time, against a consumer that cannot always keep up: what was
// accepted comes out once, in the order of its producer.
TEST_F(SampleRingTest, ConcurrentProducersLoseNothingThatWasAccepted) {
  constexpr uint32_t kProducers = 3;
  constexpr Nanos kAttempts = 60'000;
  std::vector<std::vector<Nanos>> accepted(kProducers);
  std::vector<std::vector<Nanos>> received(kProducers);
  std::atomic<uint32_t> running{kProducers};
  std::vector<std::thread> producers;
  for (uint32_t who = 0; who < kProducers; ++who) {
    accepted[who].reserve(kAttempts);
    producers.emplace_back([&, who] {
      for (Nanos i = 0; i < kAttempts; ++i) {
        bool taken = false;
        const auto push = [&] { taken = ring_.Push(SampleOf(who, i)); };
        if (i % 8 == 0) {
          InSignal(push);
        } else {
          push();
        }
        if (taken) accepted[who].push_back(i);
      }
      running.fetch_sub(1);
    });
  }
  uint64_t torn = 0;
  const auto drain = [&] {
    ring_.Drain([&](const Sample& sample) {
      if (sample.span_ns != ~sample.time_ns) ++torn;
      received[sample.thread_serial].push_back(sample.time_ns);
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
