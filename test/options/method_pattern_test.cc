// Tests the meaning of the patterns of trace=, and the error for each invalid pattern.
#include "options/method_pattern.h"

#include <gtest/gtest.h>

#include "options/options.h"

namespace jprof {
namespace {

MethodPattern Only(std::string_view text) {
  const auto patterns = ParseMethodPatterns(text);
  EXPECT_TRUE(patterns.ok()) << patterns.error().message();
  EXPECT_EQ(patterns.value().size(), 1U);
  return patterns.value().front();
}

std::string Refused(std::string_view text) {
  const auto patterns = ParseMethodPatterns(text);
  return patterns.ok() ? "accepted" : patterns.error().message();
}

TEST(MethodPatternTest, HasAClassAMethodADescriptorAndATime) {
  const MethodPattern plain = Only("com.acme.Shop.order");
  EXPECT_EQ(plain.class_name, "com/acme/Shop");
  EXPECT_EQ(plain.method, "order");
  EXPECT_FALSE(plain.descriptor);
  EXPECT_EQ(plain.slow_from_ns, MethodPattern::kNever);

  const MethodPattern full = Only("com.acme.Shop$Cart.<init>(I[Ljava/lang/String;[[J)V:50ms");
  EXPECT_EQ(full.class_name, "com/acme/Shop$Cart");
  EXPECT_EQ(full.method, "<init>");
  EXPECT_EQ(full.descriptor, "(I[Ljava/lang/String;[[J)V");
  EXPECT_EQ(full.slow_from_ns, 50'000'000);
  EXPECT_EQ(Only("Main.run:2").slow_from_ns, 2'000'000'000);
}

TEST(MethodPatternTest, CountInPlaceOfATimeDisablesTiming) {
  const MethodPattern counted = Only("com.acme.Shop.order(I)V:count");
  EXPECT_TRUE(counted.is_counted);
  EXPECT_EQ(counted.descriptor, "(I)V");
  EXPECT_EQ(counted.slow_from_ns, MethodPattern::kNever);
  EXPECT_FALSE(Only("com.acme.Shop.count").is_counted);
  EXPECT_EQ(
      Refused("A.b:counts"),
      "cannot be traced: 'counts' is not a time: write a whole number and ns, us, ms, s, m or "
      "h, as in 10ms, or count");
}

TEST(MethodPatternTest, StarsStandForAnyTextAndDescriptorsForThemselves) {
  const MethodPattern pattern = Only("com.*.Db.save*(I)V");
  EXPECT_TRUE(pattern.MatchesClass("com/acme/shop/Db"));
  EXPECT_FALSE(pattern.MatchesClass("com/acme/Db2"));
  EXPECT_TRUE(pattern.MatchesMethod("saveAll", "(I)V"));
  EXPECT_FALSE(pattern.MatchesMethod("saveAll", "(J)V"));
  EXPECT_FALSE(pattern.MatchesMethod("load", "(I)V"));
}

TEST(MethodPatternTest, NamesOfKotlinAndSpockHaveSpacesAndCommas) {
  const auto options =
      ParseOptions("start,trace='shop.OrderSpec.an order, once paid, is sent:1ms'");
  ASSERT_TRUE(options.ok()) << options.error().message();
  const MethodPattern& pattern = options.value().traced.at(0);
  EXPECT_TRUE(pattern.MatchesClass("shop/OrderSpec"));
  EXPECT_TRUE(pattern.MatchesMethod("an order, once paid, is sent", "()V"));
  EXPECT_EQ(pattern.slow_from_ns, 1'000'000);
}

TEST(MethodPatternTest, SeveralAreJoinedByPlus) {
  const auto patterns = ParseMethodPatterns("A.b:1ms+C.d+*.e(J)I");
  ASSERT_TRUE(patterns.ok());
  ASSERT_EQ(patterns.value().size(), 3U);
  EXPECT_EQ(patterns.value()[0].slow_from_ns, 1'000'000);
  EXPECT_EQ(patterns.value()[1].text, "C.d");
  EXPECT_EQ(patterns.value()[2].descriptor, "(J)I");
}

TEST(MethodPatternTest, RefusesOtherTextsWithTheReason) {
  EXPECT_EQ(Refused("order"),
            "cannot be traced: 'order' is not a method: write package.Class.method");
  EXPECT_EQ(Refused("Shop."),
            "cannot be traced: 'Shop.' is not a method: write package.Class.method");
  EXPECT_EQ(Refused("com/acme/Shop.order"),
            "cannot be traced: 'com/acme/Shop.order' is not a method: no name has '/', packages "
            "are joined by dots");
  EXPECT_EQ(Refused("A.b++C.d"), "has an empty item: put one + between two methods");
  EXPECT_EQ(Refused("A.b+"), "has an empty item: put one + between two methods");
  EXPECT_EQ(Refused("A.b:fast"),
            "cannot be traced: 'fast' is not a time: write a whole number and ns, us, ms, s, m or "
            "h, as in 10ms, or count");
  EXPECT_EQ(Refused("A.b:25h"), "cannot be traced: '25h' is longer than a day");
  for (const char* descriptor :
       {"()", "(I", "(I)", "(V)V", "(L;)V", "(I)VV", "(Ljava.lang.X;)V", "([)V", "(I)[V", "(Q)V"}) {
    EXPECT_EQ(Refused("A.b" + std::string(descriptor)),
              "cannot be traced: '" + std::string(descriptor) +
                  "' is not a descriptor: write it as javap -s does, (ILjava/lang/String;)V");
  }
}

TEST(MethodPatternTest, TracingNeedsNoSamplesAndTakesNoInterval) {
  const auto alone = ParseOptions("start,trace=A.b:1ms");
  ASSERT_TRUE(alone.ok()) << alone.error().message();
  EXPECT_EQ(alone.value().samples, SampleSettings().Enable(SampleKind::kMethod, 1));
  EXPECT_EQ(alone.value().traced.size(), 1U);

  const auto joined = ParseOptions("start,trace=A.b,cpu,interval=5ms");
  ASSERT_TRUE(joined.ok()) << joined.error().message();
  EXPECT_EQ(joined.value().samples[SampleKind::kCpu].interval, 5'000'000);

  const auto interval = ParseOptions("start,trace=A.b,interval=5ms");
  ASSERT_FALSE(interval.ok());
  EXPECT_EQ(interval.error().message(), "'interval=5ms' is for samples: add cpu");
  EXPECT_EQ(ParseOptions("start,trace=b").error().message(),
            "'trace=b' cannot be traced: 'b' is not a method: write package.Class.method");
  EXPECT_FALSE(ParseOptions("start,trace").ok());
}

}  // namespace
}  // namespace jprof
