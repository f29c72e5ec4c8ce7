#include "base/modified_utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace jprof {
namespace {

using std::string_literals::operator""s;

TEST(ModifiedUtf8Test, TextWithoutSpecialFormsIsUnchanged) {
  for (const std::string text : {"", "plain", "caf\xC3\xA9", "\xE2\x82\xAC 5", "\xEF\xBF\xBF"}) {
    EXPECT_EQ(Utf8FromModifiedUtf8(text), text);
  }
}

TEST(ModifiedUtf8Test, TheTwoByteNulBecomesOneByte) {
  EXPECT_EQ(Utf8FromModifiedUtf8("a\xC0\x80z"), "a\0z"s);
}

TEST(ModifiedUtf8Test, ASurrogatePairBecomesOneCharacterOfFourBytes) {
  EXPECT_EQ(Utf8FromModifiedUtf8("<\xED\xA0\xBD\xED\xB8\x80>"), "<\xF0\x9F\x98\x80>");  // U+1F600
  EXPECT_EQ(Utf8FromModifiedUtf8("\xED\xA0\x80\xED\xB0\x80"), "\xF0\x90\x80\x80");      // U+10000
  EXPECT_EQ(Utf8FromModifiedUtf8("\xED\xAF\xBF\xED\xBF\xBF"), "\xF4\x8F\xBF\xBF");      // U+10FFFF
}

TEST(ModifiedUtf8Test, PlainUtf8OfFourBytesIsUnchanged) {
  EXPECT_EQ(Utf8FromModifiedUtf8("\xF0\x9F\x98\x80"), "\xF0\x9F\x98\x80");
}

TEST(ModifiedUtf8Test, ALoneSurrogateBecomesOneReplacementCharacter) {
  EXPECT_EQ(Utf8FromModifiedUtf8("\xED\xA0\xBDx"), "\xEF\xBF\xBDx");
  EXPECT_EQ(Utf8FromModifiedUtf8("\xED\xB8\x80x"), "\xEF\xBF\xBDx");
  EXPECT_EQ(Utf8FromModifiedUtf8("\xED\xA0\xBD"), "\xEF\xBF\xBD");
  EXPECT_EQ(Utf8FromModifiedUtf8("\xED\xA0\xBD\xED\xA0\xBD\xED\xB8\x80"),
            "\xEF\xBF\xBD\xF0\x9F\x98\x80");
}

TEST(ModifiedUtf8Test, MalformedBytesAreReplacedOneByOne) {
  EXPECT_EQ(Utf8FromModifiedUtf8("\x80"), "\xEF\xBF\xBD");    // a continuation byte first
  EXPECT_EQ(Utf8FromModifiedUtf8("a\xC3"), "a\xEF\xBF\xBD");  // a sequence that is cut off
  EXPECT_EQ(Utf8FromModifiedUtf8("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(Utf8FromModifiedUtf8("\xC1\x81"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // an overlong form
  EXPECT_EQ(Utf8FromModifiedUtf8("\xFFok"), "\xEF\xBF\xBDok");
  EXPECT_EQ(Utf8FromModifiedUtf8("\xF4\x90\x80\x80").size(), 4 * 3u);  // above U+10FFFF
}

}  // namespace
}  // namespace jprof
