#include "options/error_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jprof {
namespace {

using ::testing::Optional;

TEST(ErrorTextTest, QuotesAreOneShortPrintableLine) {
  EXPECT_EQ(Quote("cpu"), "'cpu'");
  EXPECT_EQ(Quote(""), "''");
  EXPECT_EQ(Quote("a\n\xc3\xa9"), "'a\\x0a\\xc3\\xa9'");
  EXPECT_EQ(Quote(std::string(80, 'x')), "'" + std::string(80, 'x') + "'");
  EXPECT_EQ(Quote(std::string(81, 'x')), "'" + std::string(80, 'x') + "...'");
}

TEST(ErrorTextTest, TheNearestNameIsOneOrTwoLettersAway) {
  const std::vector<std::string_view> names = {"start", "stop", "log", "loglevel"};
  EXPECT_THAT(NearestName("strt", names), Optional(std::string_view("start")));
  EXPECT_THAT(NearestName("sttop", names), Optional(std::string_view("stop")));
  EXPECT_THAT(NearestName("logs", names), Optional(std::string_view("log")));
  EXPECT_THAT(NearestName("LogLevle", names), Optional(std::string_view("loglevel")));
  EXPECT_THAT(NearestName("stop", names), Optional(std::string_view("stop")));
}

TEST(ErrorTextTest, FindsNoNameNearAnUnlikeWord) {
  const std::vector<std::string_view> names = {"start", "stop", "log", "loglevel"};
  EXPECT_EQ(NearestName("", names), std::nullopt);
  EXPECT_EQ(NearestName("x", names), std::nullopt);
  EXPECT_EQ(NearestName("lock", names), std::nullopt);
  EXPECT_EQ(NearestName("loglevelxyz", names), std::nullopt);
  EXPECT_EQ(NearestName("log", {}), std::nullopt);
}

TEST(ErrorTextTest, AnUnknownNameComesWithTheNearestOrWithAll) {
  EXPECT_EQ(UnknownName("fruit", "aple", {"apple", "pear"}),
            "unknown fruit 'aple': did you mean 'apple'?");
  EXPECT_EQ(UnknownName("fruit", "cherry", {"apple", "pear"}),
            "unknown fruit 'cherry': known are apple, pear");
}

}  // namespace
}  // namespace jprof
