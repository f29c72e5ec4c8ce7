#include "jvm/line_table.h"

#include <gtest/gtest.h>

#include <string>

namespace jprof {
namespace {

std::string TextOf(const std::vector<MethodInfo::Line>& lines) {
  std::string text;
  for (const MethodInfo::Line& line : lines) {
    text += std::to_string(line.first_bci) + ":" + std::to_string(line.number) + " ";
  }
  return text;
}

TEST(LineTableTest, AByteHoldsTwoSmallSteps) {
  EXPECT_EQ(TextOf(ReadLines("\x05\x29\x2b", 1)), "0:5 5:6 10:9 ");
}

// The numbers after the escape are 0 and 300 (encoded as its double); the bias of JDK 20 and later
// releases adds 1 to each byte.
TEST(LineTableTest, AnEscapeIsFollowedByTwoNumbers) {
  EXPECT_EQ(TextOf(ReadLines(std::string("\xff\x00\xd8\x06", 4), 0)), "0:300 ");
  EXPECT_EQ(TextOf(ReadLines("\xff\x01\xd9\x07", 1)), "0:300 ");
}

TEST(LineTableTest, LinesAreInTheOrderOfTheirBytecodeIndexes) {
  std::vector<MethodInfo::Line> lines = {{9, 1}, {0, 2}, {4, 3}, {0, 4}};
  SortLines(lines);
  EXPECT_EQ(TextOf(lines), "0:2 0:4 4:3 9:1 ");
}

TEST(LineTableTest, ATableOfAnyBytesIsRead) {
  for (int seed = 0; seed < 256; ++seed) {
    std::string table;
    for (int i = 0; i < 300; ++i) table.push_back(static_cast<char>(seed + i * (seed | 1)));
    ReadLines(table, static_cast<uint8_t>(seed & 1));
  }
  EXPECT_EQ(TextOf(ReadLines("", 1)), "");
  EXPECT_EQ(ReadLines("\xff", 1).size(), 1u);
}

}  // namespace
}  // namespace jprof
