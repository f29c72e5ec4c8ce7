#include "profile/analysis/packed_samples.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <tuple>
#include <vector>

namespace jprof::profile {
namespace {

auto FieldsOf(const Sample& sample) {
  return std::tuple(sample.kind, sample.thread, sample.stack, sample.time_ns, sample.covers_ns,
                    sample.samples, sample.value, sample.state, sample.labels,
                    std::bit_cast<uint64_t>(sample.variance),
                    std::bit_cast<uint64_t>(sample.objects));
}

TEST(PackedSamplesTest, ReturnsSamplesUnchangedInTheirOrder) {
  std::mt19937_64 random(1);
  const auto any = [&random] { return random() >> random() % 64; };
  std::vector<Sample> samples(50'000);  // several blocks
  for (size_t i = 0; i < samples.size(); ++i) {
    Sample& sample = samples[i];
    if (i % 3 != 0) sample = samples[i - 1];
    const auto narrow = [&any] { return static_cast<uint32_t>(any()); };
    sample.time_ns = static_cast<int64_t>(any());
    sample.stack = narrow();
    if (i % 3 != 0) continue;
    sample.kind = narrow();
    sample.thread = narrow();
    sample.covers_ns = static_cast<int64_t>(any());
    sample.samples = any();
    sample.value = any();
    sample.state = narrow();
    sample.labels = narrow();
    sample.variance = i % 6 == 0 ? kNotKnown : static_cast<double>(any());
    sample.objects = i % 6 == 0 ? kNotKnown : 1.5 * static_cast<double>(narrow());
  }
  samples.push_back({.time_ns = INT64_MIN, .covers_ns = INT64_MIN, .value = UINT64_MAX});
  samples.push_back({.time_ns = INT64_MAX, .covers_ns = INT64_MAX, .samples = 0});
  samples.push_back(samples.back());
  PackedSamples packed;
  for (const Sample& sample : samples) packed.Add(sample);
  EXPECT_EQ(packed.size(), samples.size());
  size_t count = 0;
  packed.ForEach([&](const Sample& sample) {
    ASSERT_LT(count, samples.size());
    ASSERT_EQ(FieldsOf(sample), FieldsOf(samples[count])) << count;
    ++count;
  });
  EXPECT_EQ(count, samples.size());
}

TEST(PackedSamplesTest, VisitsNothingIfNothingWasAdded) {
  PackedSamples().ForEach([](const Sample&) { FAIL(); });
}

}  // namespace
}  // namespace jprof::profile
