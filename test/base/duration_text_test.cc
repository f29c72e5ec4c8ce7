#include "base/duration_text.h"

#include <gtest/gtest.h>

namespace jprof {
namespace {

TEST(DurationTextTest, TakesTheLargestUnitThatKeepsTheNumberWhole) {
  EXPECT_EQ(DurationText(10'000'000), "10 ms");
  EXPECT_EQ(DurationText(1'000'000'000), "1 s");
  EXPECT_EQ(DurationText(1'500'000), "1500 us");
  EXPECT_EQ(DurationText(999), "999 ns");
}

}  // namespace
}  // namespace jprof
