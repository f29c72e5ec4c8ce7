#include "serve/json_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jprof {
namespace {

using testing::Eq;
using testing::Optional;
using Fields = std::map<std::string, std::string>;

TEST(JsonFieldsTest, StringsOfAnObjectAreRead) {
  EXPECT_THAT(ReadJsonFields("{}"), Optional(Eq(Fields{})));
  EXPECT_THAT(ReadJsonFields(R"( { "a" : "b" , "n": -1.5e3, "t":true,"z":null, "c":"d" } )"),
              Optional(Eq(Fields{{"a", "b"}, {"c", "d"}})));
  EXPECT_THAT(ReadJsonFields(R"({"a":"q\"\\\/\n\u00e9\ud83d\ude00\ud800"})"),
              Optional(Eq(Fields{{"a", "q\"\\/\n\xC3\xA9\xF0\x9F\x98\x80\xEF\xBF\xBD"}})));
}

TEST(JsonFieldsTest, RefusesOtherTexts) {
  for (const char* const wrong :
       {"", "[]", "\"a\"", "{", "{\"a\"}", "{\"a\":}", "{\"a\":\"b\"", "{\"a\":\"b\",}", "{}{}",
        "{\"a\":[\"b\"]}", "{\"a\":{\"b\":\"c\"}}", "{\"a\":\"b\",\"a\":\"c\"}", "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12\"}", "{\"a\":\"\\u12g4\"}", "{\"a\":\"b\nc\"}", "{\"a\":word}",
        "{a:\"b\"}"}) {
    EXPECT_EQ(ReadJsonFields(wrong), std::nullopt) << wrong;
  }
}

TEST(JsonFieldsTest, WritesTextThatCanBeReadAndEndsNoScript) {
  const std::string text = "quote \" slash \\ line\n\ttab </script> \x01 \xC3\xA9";
  const std::string json = "{\"a\":" + JsonString(text) + "}";
  EXPECT_THAT(ReadJsonFields(json), Optional(Eq(Fields{{"a", text}})));
  EXPECT_EQ(json.find("</"), std::string::npos);
  EXPECT_EQ(JsonString("\xFF"), "\"\xEF\xBF\xBD\"") << "always valid UTF-8";
}

}  // namespace
}  // namespace jprof
