#include "base/printable_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace jprof {
namespace {

std::string Line(std::string_view text) { return PrintableText(text, Layout::kEscape); }

TEST(PrintableTextTest, OrdinaryTextOfAllScriptsStaysAsItIs) {
  for (const std::string text :
       {"", "com.example.Main --port=80 \\ \"x\"", "Größe", "日本語", "😀", "עברית", "é"}) {
    EXPECT_EQ(Line(text), text);
  }
}

TEST(PrintableTextTest, ControlCharactersShowAsTheirCodes) {
  EXPECT_EQ(Line("\x1b]0;owned\x07"), "\\x1b]0;owned\\x07");
  EXPECT_EQ(Line("a\r\bb\x7f"), "a\\x0d\\x08b\\x7f");
  EXPECT_EQ(Line("\xC2\x9B"
                 "31m"),
            "\\x9b31m");  // CSI as one C1 character
  EXPECT_EQ(Line(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(PrintableTextTest, ShowsCodesOfDirectionalAndHiddenCharacters) {
  EXPECT_EQ(Line("a\u202Egnp.exe"), "a\\u202egnp.exe");
  EXPECT_EQ(Line("\u2066\u2069\u200F\u061C\uFEFF\u200B"),
            "\\u2066\\u2069\\u200f\\u061c\\ufeff\\u200b");
  EXPECT_EQ(Line("a\u2028b"), "a\\u2028b");
  EXPECT_EQ(Line("\U000E0041"), "\\U000e0041");
}

TEST(PrintableTextTest, ShowsInvalidUtf8AsCodes) {
  EXPECT_EQ(Line("\x9b"
                 "31m"),
            "\\x9b31m");
  EXPECT_EQ(Line("a\xC0\x9B"), "a\\xc0\\x9b");  // an overlong form
  EXPECT_EQ(Line("\xE0\x9F\xBF"), "\\xe0\\x9f\\xbf");
  EXPECT_EQ(Line("\xF0\x8F\xBF\xBF"), "\\xf0\\x8f\\xbf\\xbf");
  EXPECT_EQ(Line("\xED\xA0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(Line("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(Line("\xE2\x80"), "\\xe2\\x80");  // a sequence that is cut off
}

TEST(PrintableTextTest, KeepsLineFeedsAndTabsIfAsked) {
  EXPECT_EQ(PrintableText("a\tb\nc\r", Layout::kKeep), "a\tb\nc\\x0d");
  EXPECT_EQ(Line("a\tb\nc"), "a\\x09b\\x0ac");
}

TEST(PrintableTextTest, KeepsTheMeaningOfJson) {
  const auto json = [](std::string_view text) { return PrintableText(text, Layout::kJson); };
  EXPECT_EQ(json("{\"a\":\"\\u001b\\\\\",\n\t\"b\":\"\xC3\xA9\"}"),
            "{\"a\":\"\\u001b\\\\\",\n\t\"b\":\"\xC3\xA9\"}");
  EXPECT_EQ(json("\"\x7F\xC2\x80\""), "\"\\u007f\\u0080\"");
  EXPECT_EQ(json("\"\xE2\x80\xAE\""), "\"\\u202e\"");
  EXPECT_EQ(json("\"\xF3\xA0\x80\x81\""), "\"\\udb40\\udc01\"");
  EXPECT_EQ(json("\"\x9B\""), "\"\\ufffd\"");
}

TEST(PrintableTextTest, RandomBytesNeverYieldAControlCharacter) {
  std::mt19937 random(testing::UnitTest::GetInstance()->random_seed());
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 40, ' ');
    for (char& c : text) c = static_cast<char>(random());
    const std::string printable = Line(text);
    for (const char c : printable) ASSERT_FALSE((c >= 0 && c < ' ') || c == '\x7f');
    ASSERT_EQ(printable.find("\xC2\x9B"), std::string::npos);
    ASSERT_EQ(Line(printable), printable);
  }
}

}  // namespace
}  // namespace jprof
