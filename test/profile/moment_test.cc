#include "profile/moment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <string>

namespace jprof::profile {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kHour = 3600 * kSecond;

class MomentTest : public ::testing::Test {
 protected:
  // Sets a time zone two hours behind UTC, without summer time.
  void SetUp() override {
    setenv("TZ", "XYZ2", 1);
    tzset();
  }
  void TearDown() override {
    unsetenv("TZ");
    tzset();
  }

  // Returns the nanoseconds from `begin_ns` to the moment. Returns -1 if `text` is refused.
  static int64_t After(const std::string& text, int64_t begin_ns) {
    const auto moment = Moment::Parse(text);
    return moment.ok() ? moment.value().In(begin_ns) - begin_ns : -1;
  }
};

constexpr int64_t kMidnight = 1'700'006'400 * kSecond;  // 2023-11-15T00:00 in UTC

TEST_F(MomentTest, AnElapsedTimeCountsFromTheStart) {
  EXPECT_EQ(After("10s", kMidnight), 10 * kSecond);
  EXPECT_EQ(After("1.5s", kMidnight), 3 * kSecond / 2);
  EXPECT_EQ(After("90", kMidnight), 90 * kSecond);
  EXPECT_EQ(After("2m", kMidnight), 120 * kSecond);
  EXPECT_EQ(After("250ms", kMidnight), kSecond / 4);
  EXPECT_EQ(After("7ns", kMidnight), 7);
}

TEST_F(MomentTest, AFractionIsRoundedToTheNanosecond) {
  EXPECT_EQ(After("0.0000000015s", kMidnight), 2);
  EXPECT_EQ(After("0.00000000149999999999999999999999999999s", kMidnight), 1);
  EXPECT_EQ(After("0.1h", kMidnight), kHour / 10);
  EXPECT_EQ(After("0.123456789123h", kMidnight), 444'444'440'843);
  EXPECT_EQ(After("3.", kMidnight), 3 * kSecond);
  EXPECT_EQ(After("1000000000s", 0), kSecond * 1'000'000'000);
}

TEST_F(MomentTest, AClockTimeIsTheOneNearestToTheStart) {
  const int64_t ten = kMidnight + 12 * kHour;  // 10:00 local time
  EXPECT_EQ(After("10:00", ten), 0);
  EXPECT_EQ(After("10:00:05.250", ten), 5 * kSecond + kSecond / 4);
  EXPECT_EQ(After("09:59", ten), -60 * kSecond);
  const int64_t before_midnight = kMidnight + 26 * kHour - 10 * kSecond;  // 23:59:50
  EXPECT_EQ(After("00:00:05", before_midnight), 15 * kSecond);
  const int64_t after_midnight = kMidnight + 2 * kHour + 5 * kSecond;  // 00:00:05
  EXPECT_EQ(After("23:59:55", after_midnight), -10 * kSecond);
}

TEST_F(MomentTest, ADateIsInTheLocalTimeZone) {
  EXPECT_EQ(After("2023-11-15T00:00", kMidnight), 2 * kHour);
  EXPECT_EQ(After("2023-11-16T01:02:03", kMidnight), 27 * kHour + 123 * kSecond);
}

TEST_F(MomentTest, ATimeWithAZoneIsInThatZone) {
  for (const char* text :
       {"2023-11-15T01:00:00+01:00", "2023-11-15 00:00Z", "2023-11-14T18:30-0530",
        "2023-11-15T00:00:00.000+00:00", "00:00Z", "01:00+01:00"}) {
    EXPECT_EQ(After(text, kMidnight), 0) << text;
  }
  EXPECT_EQ(After("2023-11-15 00:00", kMidnight), 2 * kHour) << "of the reader's zone";
}

TEST_F(MomentTest, RefusesDaysThatTheMonthLacks) {
  EXPECT_TRUE(Moment::Parse("2024-02-29T00:00").ok());
  EXPECT_TRUE(Moment::Parse("2000-02-29T00:00").ok());
  for (const char* text : {"2023-02-29T00:00", "2100-02-29T00:00", "2023-02-31T10:00",
                           "2023-04-31T00:00", "2023-11-00T00:00"}) {
    EXPECT_FALSE(Moment::Parse(text).ok()) << text;
  }
}

TEST_F(MomentTest, RefusesAllOtherTexts) {
  for (const char* text : {"",
                           "s",
                           "-1s",
                           "1x",
                           "1s2",
                           "1e3",
                           "24:00",
                           "12:60",
                           "12:00:60",
                           "12:",
                           "1:2:3:4",
                           "2023-13-01T00:00",
                           "2023-11-15T",
                           "2023-11-15T00:00+1",
                           "2023-11-15T00:00+01:000",
                           "2023-11-15T00:00+15:00",
                           "2023-11-15T00:00+01:60",
                           "2023-11-15T00:00ZZ",
                           "2023-11-15T+01:00",
                           "2023-11-15  00:00",
                           "99999999999999h",
                           "nan",
                           "inf",
                           "0x10",
                           "1..2",
                           ".5",
                           "1.x",
                           "1000000000.000000001"}) {
    EXPECT_FALSE(Moment::Parse(text).ok()) << text;
  }
}

TEST_F(MomentTest, AcceptsAnyNumberAsStart) {
  for (const int64_t begin : {INT64_MIN, int64_t{-1}, INT64_MAX}) {
    Moment::Parse("10s").value().In(begin);
    Moment::Parse("10:00").value().In(begin);
  }
}

}  // namespace
}  // namespace jprof::profile
