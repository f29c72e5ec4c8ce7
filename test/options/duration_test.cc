#include <gtest/gtest.h>

#include <limits>

#include "options/quantity.h"

namespace jprof {
namespace {

TEST(DurationTest, EveryUnitHasItsLength) {
  EXPECT_EQ(ParseDuration("7ns").value(), 7);
  EXPECT_EQ(ParseDuration("7us").value(), 7'000);
  EXPECT_EQ(ParseDuration("7ms").value(), 7'000'000);
  EXPECT_EQ(ParseDuration("7s").value(), 7 * kNanosPerSecond);
  EXPECT_EQ(ParseDuration("7m").value(), 420 * kNanosPerSecond);
  EXPECT_EQ(ParseDuration("7h").value(), 25'200 * kNanosPerSecond);
  EXPECT_EQ(ParseDuration("0").value(), 0);
  EXPECT_EQ(ParseDuration("007ms").value(), 7'000'000);
}

TEST(DurationTest, WithoutUnitIntervalsAreNanosecondsAndOtherTimesSeconds) {
  EXPECT_EQ(ParseInterval("7").value(), 7);
  EXPECT_EQ(ParseDuration("7").value(), 7 * kNanosPerSecond);
  for (const char* text : {"7ns", "7us", "7ms", "7s", "7m", "7h"}) {
    EXPECT_EQ(ParseInterval(text).value(), ParseDuration(text).value()) << text;
  }
}

TEST(DurationTest, TheLongestTimeIsAcceptedAndOneMoreIsNot) {
  EXPECT_EQ(ParseDuration("9223372036854775807ns").value(), std::numeric_limits<Nanos>::max());
  EXPECT_EQ(ParseDuration("9223372036s").value(), 9'223'372'036 * kNanosPerSecond);
  const std::string too_long = "is longer than any time the profiler can hold";
  for (const char* text : {"9223372036854775808ns", "18446744073709551616", "9223372037",
                           "99999999999999h", "99999999999999999999999h"}) {
    ASSERT_FALSE(ParseDuration(text).ok()) << text;
    EXPECT_EQ(ParseDuration(text).error().message(), too_long) << text;
  }
}

TEST(DurationTest, AnythingElseIsNotATime) {
  for (const char* text :
       {"", "ms", "-1ms", "+1ms", " 1ms", "1 ms", "1ms ", "1.5ms", "1,5ms", "1e3", "0x10", "1MS",
        "1min", "1d", "1ms1", "1h30m", "99999999999999999999999d"}) {
    ASSERT_FALSE(ParseDuration(text).ok()) << text;
    EXPECT_EQ(ParseDuration(text).error().message(),
              "is not a time: write a whole number and ns, us, ms, s, m or h, as in 10ms")
        << text;
  }
}

TEST(ShareTest, IsAPercentageOrANumberBelowOne) {
  EXPECT_EQ(ParseShare("0").value(), 0);
  EXPECT_EQ(ParseShare("0%").value(), 0);
  EXPECT_EQ(ParseShare("0.01").value(), 0.01);
  EXPECT_EQ(ParseShare("1%").value(), 0.01);
  EXPECT_EQ(ParseShare("0.5%").value(), 0.005);
  EXPECT_EQ(ParseShare("100%").value(), 1);
  EXPECT_EQ(ParseShare("0.999999999").value(), 0.999999999);
}

TEST(ShareTest, OneWithoutAUnitIsAmbiguous) {
  for (const char* text : {"1", "1.0", "5", "100"}) {
    ASSERT_FALSE(ParseShare(text).ok()) << text;
    EXPECT_EQ(ParseShare(text).error().message(),
              "is not below 1: write a larger share with %, as in 1% or 100%");
  }
  EXPECT_EQ(ParseShare("100.1%").error().message(), "is more than 100%");
}

TEST(ShareTest, AnythingElseIsNotAShare) {
  for (const char* text : {"", "%", ".5", "5.", ".", "-1%", "+1%", " 1%", "1 %", "1%%", "1,5%",
                           "1e-2", "0x1", "nan", "inf", "1.2.3", "0.0000000001", "1234567890%"}) {
    ASSERT_FALSE(ParseShare(text).ok()) << text;
    EXPECT_EQ(ParseShare(text).error().message(),
              "is not a share: write a percentage such as 1%, or a number below 1 such as 0.01")
        << text;
  }
}

}  // namespace
}  // namespace jprof
