#include "sigsafe/hotspot/unsigned5.h"

#include <gtest/gtest.h>

#include <vector>

namespace jprof {
namespace {

// Encodes a number as HotSpot does (jdk-25+36 src/hotspot/share/utilities/unsigned5.hpp: 256 - 64 -
// bias values of a byte are low codes, which end a number).
std::vector<uint8_t> Encode(uint8_t bias, uint32_t value) {
  const uint32_t low_codes = 192u - bias;
  std::vector<uint8_t> bytes;
  uint32_t rest = value;
  for (int i = 0; i < 4 && rest >= low_codes; ++i) {
    rest -= low_codes;
    bytes.push_back(static_cast<uint8_t>(192 + rest % 64));
    rest /= 64;
  }
  bytes.push_back(static_cast<uint8_t>(rest + bias));
  return bytes;
}

TEST(Unsigned5Test, EveryNumberIsReadAsItWasWritten) {
  for (const uint8_t bias : {0, 1}) {
    for (uint64_t value = 0; value <= UINT32_MAX; value = value < 100'000 ? value + 1 : value * 3) {
      const auto number = static_cast<uint32_t>(value);
      std::vector<uint8_t> bytes = Encode(bias, number);
      const size_t length = bytes.size();
      bytes.push_back(0xff);
      uint64_t at = reinterpret_cast<uint64_t>(bytes.data());
      uint32_t read = ~number;
      ASSERT_TRUE(ReadUnsigned5(bias, &at, &read));
      ASSERT_EQ(read, number) << "bias " << int{bias};
      ASSERT_EQ(at, reinterpret_cast<uint64_t>(bytes.data()) + length);
    }
  }
}

TEST(Unsigned5Test, ReadsAtMostFiveBytesOfHighCodes) {
  const std::vector<uint8_t> bytes(16, 0xff);
  uint64_t at = reinterpret_cast<uint64_t>(bytes.data());
  uint32_t value = 0;
  EXPECT_TRUE(ReadUnsigned5(1, &at, &value));
  EXPECT_EQ(at, reinterpret_cast<uint64_t>(bytes.data()) + 5);
}

}  // namespace
}  // namespace jprof
