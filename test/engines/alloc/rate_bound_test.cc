#include "engines/alloc/rate_bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "engines/alloc/alloc_events.h"

namespace jprof {
namespace {

constexpr int64_t kGapBytes = 1000;
constexpr Nanos kTenth = 100'000'000;
constexpr double kBytes = kGapBytes;

// Allocations has threads that allocate objects of one size, sampled as in JEP 331. At its start
// and at each sample, a thread draws the number of bytes until its next sample (the gap). The mean
// of the gap is the interval at that time.
class Allocations {
 public:
  Allocations(RateBound& bound, uint64_t object_bytes, size_t threads)
      : bound_(bound), object_bytes_(object_bytes), gaps_(threads) {
    for (Gap& gap : gaps_) Draw(gap);
  }

  // Passes a tenth of a second, in which the threads together allocate `bytes`. At the end of that
  // time, the factor of the bound can change.
  void PassTenth(double bytes) {
    const auto objects = std::llround(std::ceil(bytes / static_cast<double>(object_bytes_)));
    for (int64_t i = 0; i < objects; ++i) Allocate(gaps_[next_++ % gaps_.size()]);
    now_ns_ += kTenth;
    const uint16_t wanted = bound_.Wanted(now_ns_);
    if (wanted != bound_.factor()) bound_.Use(wanted);
  }

  int samples() const { return samples_; }
  double truth() const { return truth_; }
  double estimate() const { return estimate_; }
  double error() const { return std::sqrt(variance_); }

 private:
  struct Gap {
    double left;
    uint16_t factor;
  };

  void Draw(Gap& gap) {
    gap.factor = bound_.factor();
    gap.left = std::exponential_distribution<double>(1.0 / (kBytes * gap.factor))(random_);
  }

  void Allocate(Gap& gap) {
    truth_ += static_cast<double>(object_bytes_);
    gap.left -= static_cast<double>(object_bytes_);
    if (gap.left > 0) return;
    ++samples_;
    bound_.Count(object_bytes_, gap.factor);
    const ObjectWeight weight = ObjectWeight::Of(object_bytes_, kGapBytes * gap.factor);
    estimate_ += weight.bytes;
    variance_ += weight.standard_error * weight.standard_error;
    Draw(gap);
  }

  RateBound& bound_;
  const uint64_t object_bytes_;
  std::mt19937_64 random_{29};
  std::vector<Gap> gaps_;
  size_t next_ = 0;
  Nanos now_ns_ = kTenth;
  int samples_ = 0;
  double truth_ = 0;
  double estimate_ = 0;
  double variance_ = 0;
};

// Returns the number of bytes of small objects, allocated in a tenth of a second, that cause
// `samples_per_second` samples a second with a factor of 1.
constexpr double BytesFor(double samples_per_second) { return samples_per_second / 10 * kBytes; }

TEST(RateBoundTest, TheIntervalStaysWithoutABound) {
  RateBound bound(kGapBytes, false);
  Allocations objects(bound, 64, 2);
  for (int tenth = 0; tenth < 20; ++tenth) objects.PassTenth(BytesFor(100'000));
  EXPECT_EQ(bound.factor(), 1);
  EXPECT_FALSE(bound.has_changed());
}

TEST(RateBoundTest, TheIntervalStaysBelowTheBound) {
  RateBound bound(kGapBytes, true);
  Allocations objects(bound, 64, 2);
  for (int tenth = 0; tenth < 100; ++tenth) {
    objects.PassTenth(BytesFor(RateBound::kMostPerSecond * 0.75));
    EXPECT_EQ(bound.factor(), 1);
  }
}

TEST(RateBoundTest, SteadyAllocationSettlesTheInterval) {
  RateBound bound(kGapBytes, true);
  Allocations objects(bound, 64, 8);
  for (int tenth = 0; tenth < 10; ++tenth) objects.PassTenth(BytesFor(22'000));
  const uint16_t factor = bound.factor();
  const int before = objects.samples();
  constexpr int kTenths = 200;
  int changes = 0;
  for (int tenth = 0; tenth < kTenths; ++tenth) {
    objects.PassTenth(BytesFor(22'000));
    changes += bound.factor() != factor ? 1 : 0;
  }
  EXPECT_EQ(changes, 0);
  const double per_second = (objects.samples() - before) * 10.0 / kTenths;
  EXPECT_LT(per_second, RateBound::kMostPerSecond);
  EXPECT_GT(per_second, RateBound::kMostPerSecond / 2.0);
}

TEST(RateBoundTest, TheIntervalIsTheShortestAgainAfterTheLoad) {
  RateBound bound(kGapBytes, true);
  Allocations objects(bound, 64, 2);
  for (int tenth = 0; tenth < 5; ++tenth) objects.PassTenth(BytesFor(22'000));
  EXPECT_GT(bound.factor(), 4);
  for (int tenth = 0; tenth < 2; ++tenth) objects.PassTenth(BytesFor(1000));
  EXPECT_EQ(bound.factor(), 1);
}

// Many slow threads draw their gaps before a change of the factor, and reach the ends of these gaps
// long after the change.
TEST(RateBoundTest, ManySlowThreadsDoNotDriveTheIntervalUp) {
  RateBound bound(kGapBytes, true);
  Allocations objects(bound, 64, 10'000);
  for (int tenth = 0; tenth < 100; ++tenth) {
    objects.PassTenth(BytesFor(22'000));
    EXPECT_LE(bound.factor(), 9) << tenth;
  }
}

TEST(RateBoundTest, LargeObjectsAreBoundedToo) {
  RateBound bound(kGapBytes, true);
  Allocations objects(bound, 5000, 4);
  for (int tenth = 0; tenth < 10; ++tenth) objects.PassTenth(BytesFor(60'000));
  const int before = objects.samples();
  for (int tenth = 0; tenth < 100; ++tenth) objects.PassTenth(BytesFor(60'000));
  EXPECT_LT(objects.samples() - before, RateBound::kMostPerSecond * 10);
}

TEST(RateBoundTest, ATooShortPeriodChangesNothing) {
  RateBound bound(kGapBytes, true);
  EXPECT_EQ(bound.Wanted(kTenth), 1);
  for (int i = 0; i < 100; ++i) bound.Count(64, 1);
  EXPECT_EQ(bound.Wanted(kTenth + 1'000'000), 1) << "100 000 a second in this millisecond";
  EXPECT_EQ(bound.Wanted(2 * kTenth), 1);
}

struct Shape {
  uint64_t object_bytes;
  size_t threads;
};

class RateBoundSizeTest : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Sizes, RateBoundSizeTest,
                         testing::Values(Shape{16, 1}, Shape{100, 3}, Shape{1000, 300},
                                         Shape{3000, 4}, Shape{3000, 3000}, Shape{10'000, 300},
                                         Shape{1'000'000, 4}));

TEST_P(RateBoundSizeTest, SumsOfAChangingRateAreTrueWithinTheirError) {
  RateBound bound(kGapBytes, true);
  Allocations objects(bound, GetParam().object_bytes, GetParam().threads);
  int changes = 0;
  for (int tenth = 0; tenth < 100; ++tenth) {
    const uint16_t before = bound.factor();
    objects.PassTenth(BytesFor(tenth % 3 == 0 ? 500 : 1000.0 * (tenth % 40)));
    changes += bound.factor() != before ? 1 : 0;
  }
  // An object as large as many intervals is almost certain to be sampled, so its error is close to
  // 0.
  EXPECT_NEAR(objects.estimate(), objects.truth(), 4 * objects.error() + 1e-6 * objects.truth())
      << objects.samples();
  EXPECT_GT(changes, GetParam().object_bytes <= kGapBytes ? 50 : -1);
}

}  // namespace
}  // namespace jprof
