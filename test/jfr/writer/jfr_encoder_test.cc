#include "jfr/writer/jfr_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "jfr/writer/jfr_file.h"

namespace jprof {
namespace {

using ::testing::ElementsAre;

std::vector<int> BytesOf(const JfrEncoder& encoder) {
  return {encoder.bytes().begin(), encoder.bytes().end()};
}

template <class Write>
std::vector<int> Encoded(Write write) {
  JfrEncoder encoder(1);
  write(encoder);
  return BytesOf(encoder);
}

TEST(JfrEncoderTest, AVarintHoldsSevenBitsAByteLowestFirst) {
  EXPECT_THAT(Encoded([](JfrEncoder& e) { e.Varint(0); }), ElementsAre(0));
  EXPECT_THAT(Encoded([](JfrEncoder& e) { e.Varint(127); }), ElementsAre(127));
  EXPECT_THAT(Encoded([](JfrEncoder& e) { e.Varint(128); }), ElementsAre(128, 1));
  // 300 = 2 * 128 + 44
  EXPECT_THAT(Encoded([](JfrEncoder& e) { e.Varint(300); }), ElementsAre(128 + 44, 2));
  // 1 000 000 = 61 * 16384 + 4 * 128 + 64
  EXPECT_THAT(Encoded([](JfrEncoder& e) { e.Varint(1'000'000); }),
              ElementsAre(128 + 64, 128 + 4, 61));
}

TEST(JfrEncoderTest, MinusOneTakesFiveBytesAsIntAndNineAsLong) {
  EXPECT_THAT(Encoded([](JfrEncoder& e) { e.Int(-1); }), ElementsAre(255, 255, 255, 255, 15));
  EXPECT_THAT(Encoded([](JfrEncoder& e) { e.Long(-1); }),
              ElementsAre(255, 255, 255, 255, 255, 255, 255, 255, 255));
}

TEST(JfrEncoderTest, TheNinthByteHoldsEightBits) {
  EXPECT_THAT(Encoded([](JfrEncoder& e) { e.Long(INT64_MIN); }),
              ElementsAre(128, 128, 128, 128, 128, 128, 128, 128, 128));
  EXPECT_THAT(Encoded([](JfrEncoder& e) { e.Long(INT64_MAX); }),
              ElementsAre(255, 255, 255, 255, 255, 255, 255, 255, 127));
}

TEST(JfrEncoderTest, EveryBitOfALongComesBack) {
  for (int bit = 0; bit < 64; ++bit) {
    JfrEncoder encoder;
    encoder.Varint(uint64_t{1} << bit);
    encoder.Varint((uint64_t{1} << bit) - 1);
    const std::string bytes(encoder.bytes().begin(), encoder.bytes().end());
    test::ByteReader in(bytes);
    EXPECT_EQ(in.Varint(), uint64_t{1} << bit);
    EXPECT_EQ(in.Varint(), (uint64_t{1} << bit) - 1);
    EXPECT_EQ(in.at(), bytes.size());
  }
}

TEST(JfrEncoderTest, FixedNumbersAreBigEndian) {
  EXPECT_THAT(Encoded([](JfrEncoder& e) { e.Fixed16(0x0102); }), ElementsAre(1, 2));
  EXPECT_THAT(Encoded([](JfrEncoder& e) { e.Fixed64(0x0102030405060708); }),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(JfrEncoderTest, StringsUseTheFormsThatAllReadersTake) {
  EXPECT_THAT(Encoded([](JfrEncoder& e) { e.String(std::string_view()); }), ElementsAre(0));
  EXPECT_THAT(Encoded([](JfrEncoder& e) { e.String(""); }), ElementsAre(1));
  EXPECT_THAT(Encoded([](JfrEncoder& e) { e.String("a\xC3\xA9"); }),
              ElementsAre(3, 3, 'a', 0xC3, 0xA9));
  EXPECT_THAT(Encoded([](JfrEncoder& e) { e.Utf8(""); }), ElementsAre(3, 0));
}

TEST(JfrEncoderTest, AnEventStartsWithItsOwnSize) {
  EXPECT_THAT(Encoded([](JfrEncoder& e) {
                const size_t start = e.BeginEvent(5);
                e.Byte(9);
                e.EndEvent(start);
              }),
              ElementsAre(3, 5, 9));
}

TEST(JfrEncoderTest, TheSizeOfAnEventCountsAllItsBytesAtEveryLength) {
  for (const size_t body : {125, 126, 127, 128, 16'380, 16'381, 16'382, 16'383, 70'000}) {
    JfrEncoder encoder;
    encoder.Byte(77);
    const size_t start = encoder.BeginEvent(5);
    for (size_t i = 0; i < body; ++i) encoder.Byte(static_cast<uint8_t>(i));
    encoder.EndEvent(start);
    const std::string bytes(encoder.bytes().begin(), encoder.bytes().end());
    test::ByteReader in(bytes);
    EXPECT_EQ(in.Byte(), 77u);
    EXPECT_EQ(in.Varint(), bytes.size() - 1);
    EXPECT_EQ(in.Byte(), 5u);
    EXPECT_EQ(in.Byte(), 0u);
    EXPECT_EQ(in.Byte(), 1u);
    EXPECT_EQ(bytes.size() - in.at(), body - 2);
    EXPECT_EQ(static_cast<uint8_t>(bytes.back()), static_cast<uint8_t>(body - 1));
  }
}

TEST(JfrEncoderTest, APatchedSizeIsAVarintOfFiveBytes) {
  JfrEncoder encoder;
  encoder.ReserveSize();
  encoder.Byte(9);
  std::vector<uint8_t> bytes(encoder.bytes().begin(), encoder.bytes().end());
  ASSERT_EQ(bytes.size(), 6u);
  JfrEncoder::StorePadded(bytes.data(), 300);
  EXPECT_THAT(bytes, ElementsAre(128 + 44, 128 + 2, 128, 128, 0, 9));
}

}  // namespace
}  // namespace jprof
