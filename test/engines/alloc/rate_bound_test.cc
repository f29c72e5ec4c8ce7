#include "engines/alloc/rate_bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engines/alloc/object_weight.h"

namespace jprof {
namespace {

constexpr int64_t kInterval = 1000;  // bytes
constexpr Nanos kTenth = 100'000'000;

// A thread that allocates objects of one size, sampled as JEP 331 does.
class Allocations {
 public:
  explicit Allocations(uint64_t object_bytes) : object_bytes_(object_bytes) {}

  // Allocates until the JVM has taken as many samples, and sums up those that are kept.
  void Allocate(RateBound& bound, int samples) {
    while (samples > 0) {
      truth_ += static_cast<double>(object_bytes_);
      left_ -= static_cast<double>(object_bytes_);
      if (left_ > 0) continue;
      left_ = gap_(random_);
      --samples;
      const std::optional<uint16_t> factor = bound.Keep(object_bytes_);
      if (!factor) continue;
      ++kept_;
      const ObjectWeight weight = ObjectWeight::Of(object_bytes_, kInterval * *factor);
      estimate_ += weight.bytes;
      variance_ += weight.standard_error * weight.standard_error;
    }
  }

  int kept() const { return kept_; }
  double truth() const { return truth_; }
  double estimate() const { return estimate_; }
  double error() const { return std::sqrt(variance_); }

 private:
  const uint64_t object_bytes_;
  std::mt19937_64 random_{29};
  std::exponential_distribution<double> gap_{1.0 / kInterval};
  double left_ = gap_(random_);
  int kept_ = 0;
  double truth_ = 0;
  double estimate_ = 0;
  double variance_ = 0;
};

TEST(RateBoundTest, EverySampleIsKeptWithoutABound) {
  RateBound bound(kInterval, false);
  Allocations objects(64);
  bound.Adapt(kTenth);
  objects.Allocate(bound, 100'000);
  bound.Adapt(2 * kTenth);
  objects.Allocate(bound, 100'000);
  EXPECT_EQ(objects.kept(), 200'000);
}

TEST(RateBoundTest, EverySampleIsKeptBelowTheBound) {
  RateBound bound(kInterval, true);
  Allocations objects(64);
  for (int tenth = 1; tenth <= 100; ++tenth) {
    bound.Adapt(tenth * kTenth);
    objects.Allocate(bound, RateBound::kMostPerSecond / 10);
  }
  EXPECT_EQ(objects.kept(), 10 * RateBound::kMostPerSecond);
}

TEST(RateBoundTest, SmallObjectsAreKeptAtTheBoundsRateFromTheSecondTenthOfASecondOn) {
  constexpr int kTenths = 100;
  RateBound bound(kInterval, true);
  Allocations objects(64);
  bound.Adapt(kTenth);
  objects.Allocate(bound, RateBound::kMostPerSecond);
  const int before = objects.kept();
  for (int tenth = 2; tenth < kTenths + 2; ++tenth) {
    bound.Adapt(tenth * kTenth);
    objects.Allocate(bound, RateBound::kMostPerSecond);
  }
  const double expected = RateBound::kMostPerSecond * kTenths / 10.0;
  // (1 - e^-x/10) / (1 - e^-x) is 0.1029 of small objects, x = 0.064.
  EXPECT_NEAR(objects.kept() - before, 1.029 * expected, 4 * std::sqrt(expected));
}

TEST(RateBoundTest, TheRateIsUnboundedAgainAfterTheLoad) {
  RateBound bound(kInterval, true);
  Allocations objects(64);
  bound.Adapt(kTenth);
  objects.Allocate(bound, RateBound::kMostPerSecond);
  bound.Adapt(2 * kTenth);
  bound.Adapt(3 * kTenth);
  const int before = objects.kept();
  objects.Allocate(bound, 100);
  EXPECT_EQ(objects.kept() - before, 100);
}

class RateBoundSizeTest : public testing::TestWithParam<uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, RateBoundSizeTest,
                         testing::Values(16, 100, 1000, 3000, 10'000, 1'000'000));

TEST_P(RateBoundSizeTest, SumsOfAChangingRateAreTrueWithinTheirError) {
  RateBound bound(kInterval, true);
  Allocations objects(GetParam());
  for (int tenth = 1; tenth <= 100; ++tenth) {
    bound.Adapt(tenth * kTenth);
    objects.Allocate(bound, tenth % 3 == 0 ? 200 : 100 * (tenth % 40));
  }
  // An object as large as many intervals is nearly certain to be sampled: its error is next to 0.
  EXPECT_NEAR(objects.estimate(), objects.truth(), 4 * objects.error() + 1e-6 * objects.truth())
      << objects.kept();
  EXPECT_LT(objects.kept(), 130'000);
}

}  // namespace
}  // namespace jprof
