#include "base/thread_filter.h"

#include <gtest/gtest.h>

namespace jprof {
namespace {

ThreadFilter Parsed(std::string_view text) {
  Result<ThreadFilter> filter = ThreadFilter::Parse(text);
  EXPECT_TRUE(filter.ok()) << text;
  return std::move(filter).value();
}

TEST(ThreadFilterTest, SelectsEveryThreadWithoutItems) {
  EXPECT_TRUE(ThreadFilter().selects_all());
  EXPECT_TRUE(ThreadFilter().Matches(1, "", ""));
}

TEST(ThreadFilterTest, NumbersAreThreadIdsAndRanges) {
  const ThreadFilter filter = Parsed("17+100-102");
  for (const int32_t tid : {17, 100, 101, 102}) EXPECT_TRUE(filter.Matches(tid, "a", "b")) << tid;
  for (const int32_t tid : {16, 18, 99, 103, 1}) EXPECT_FALSE(filter.Matches(tid, "a", "b")) << tid;
}

TEST(ThreadFilterTest, PatternsMatchTheWholeJavaNameOrTheKernelsName) {
  const ThreadFilter filter = Parsed("pool-*-thread-?+main");
  EXPECT_TRUE(filter.Matches(1, "", "pool-1-thread-7"));
  EXPECT_TRUE(filter.Matches(1, "", "pool--thread-x"));
  EXPECT_TRUE(filter.Matches(1, "main", ""));
  EXPECT_FALSE(filter.Matches(1, "", "pool-1-thread-12"));
  EXPECT_FALSE(filter.Matches(1, "", "my pool-1-thread-1"));
  EXPECT_FALSE(filter.Matches(1, "domain", "Main"));
}

TEST(ThreadFilterTest, StarsCanMatchNothingAndBacktrack) {
  EXPECT_TRUE(Parsed("*").Matches(1, "", ""));
  EXPECT_TRUE(Parsed("**a*").Matches(1, "", "a"));
  EXPECT_TRUE(Parsed("*ab*ab").Matches(1, "", "xabyabzab"));
  EXPECT_FALSE(Parsed("*ab*ab").Matches(1, "", "ab"));
  EXPECT_FALSE(Parsed("?").Matches(1, "", ""));
  const std::string many(5000, 'a');
  EXPECT_FALSE(Parsed("*a*a*a*a*a*b").Matches(1, "", many));
}

TEST(ThreadFilterTest, AMalformedNumberIsAName) {
  EXPECT_TRUE(Parsed("1-thread").Matches(9, "", "1-thread"));
  EXPECT_TRUE(Parsed("-5").Matches(9, "", "-5"));
  EXPECT_TRUE(Parsed("99999999999").Matches(9, "", "99999999999"));
}

TEST(ThreadFilterTest, EmptyItemsAndReversedRangesAreErrors) {
  for (const char* text : {"", "+", "a+", "+a", "a++b"}) {
    EXPECT_FALSE(ThreadFilter::Parse(text).ok()) << text;
  }
  EXPECT_EQ(ThreadFilter::Parse("5-4").error().message(), "has a range that ends before it begins");
}

}  // namespace
}  // namespace jprof
