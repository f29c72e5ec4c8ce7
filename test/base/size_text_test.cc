#include <gtest/gtest.h>

#include <limits>

#include "base/scaled_text.h"

namespace jprof {
namespace {

TEST(SizeTextTest, IsInTheLargestUnitThatGivesAtLeastOne) {
  EXPECT_EQ(SizeText(0), "0 bytes");
  EXPECT_EQ(SizeText(1023), "1023 bytes");
  EXPECT_EQ(SizeText(0.5), "0.50 bytes");
  EXPECT_EQ(SizeText(1024), "1.00 kB");
  EXPECT_EQ(SizeText(-3 * 1024.0), "-3.00 kB");
  EXPECT_EQ(SizeText(1.5 * (1 << 20)), "1.50 MB");
  EXPECT_EQ(SizeText(0x1p40), "1.00 TB");
  EXPECT_EQ(SizeText(0x1p60), "1024.00 PB");
}

TEST(SizeTextTest, HoldsEveryNumber) {
  EXPECT_EQ(SizeText(std::numeric_limits<double>::max()).substr(0, 5), "15966");
  EXPECT_EQ(SizeText(std::numeric_limits<double>::infinity()), "inf PB");
}

TEST(KilobytesTextTest, IsRoundedUpAndMegabytesDown) {
  EXPECT_EQ(KilobytesText(0), "0 kB");
  EXPECT_EQ(KilobytesText(1), "1 kB");
  EXPECT_EQ(KilobytesText(1025), "2 kB");
  EXPECT_EQ(MegabytesText((1 << 20) - 1), "0 MB");
  EXPECT_EQ(MegabytesText(uint64_t{11'000} << 20), "11000 MB");
}

}  // namespace
}  // namespace jprof
