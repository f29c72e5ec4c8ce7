#include "os/process_information.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <time.h>

namespace jprof {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ProcessInformationTest, StartTicksAreField22AfterAHostileName) {
  EXPECT_EQ(ParseStartTicks("7 (a) b ) S 1 7 7 0 -1 4 1 0 0 0 2 3 0 0 20 0 1 0 4711 99 1").value(),
            4711);
}

TEST(ProcessInformationTest, ATruncatedStatIsAnError) {
  EXPECT_FALSE(ParseStartTicks("").ok());
  EXPECT_FALSE(ParseStartTicks("7 (java) S 1 7").ok());
  EXPECT_FALSE(ParseStartTicks("7 (a) S 1 7 7 0 -1 4 1 0 0 0 2 3 0 0 20 0 1 0 x 9").ok());
}

TEST(ProcessInformationTest, ThisProcessStartedWithinTheLastMinutes) {
  const Result<int64_t> start = ProcessStartEpochMs();
  ASSERT_TRUE(start.ok());
  const int64_t age_ms = int64_t{time(nullptr)} * 1000 - start.value();
  EXPECT_GT(age_ms, -2000);
  EXPECT_LT(age_ms, 10 * 60 * 1000);
}

TEST(ProcessInformationTest, ArgumentsKeepSpacesAndEmptyOnes) {
  EXPECT_THAT(ParseCommandLine(std::string_view("java\0-Da=b c\0\0x\0", 16)),
              ElementsAre("java", "-Da=b c", "", "x"));
  EXPECT_THAT(ParseCommandLine(""), IsEmpty());
  EXPECT_FALSE(ProcessArguments().value().empty());
}

}  // namespace
}  // namespace jprof
