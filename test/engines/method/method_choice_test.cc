// Tests which methods get probes, and whether they are timed.
#include "engines/method/method_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint16_t kAbstract = 0x0400;

class MethodChoiceTest : public ::testing::Test {
 protected:
  MethodChoiceTest() {
    choice_.emplace(ParseMethodPatterns("a.Shop.*:count+a.Shop.order+a.Shop.or*:2ms").value());
    auto shop = std::make_shared<ClassInfo>();
    shop->name = "a/Shop";
    shop_ = shop;
  }

  std::optional<TracedMethod> Choose(const char* name, bool is_counted, uint16_t flags = 0) {
    return choice_->Choose(shop_, {name, "()V", flags}, is_counted);
  }

  std::optional<MethodChoice> choice_;
  std::shared_ptr<const ClassInfo> shop_;
};

TEST_F(MethodChoiceTest, OnlyCountsAMethodUnlessAPatternTimesIt) {
  EXPECT_FALSE(Choose("pay", false));
  ASSERT_TRUE(Choose("pay", true));
  EXPECT_TRUE(Choose("pay", true)->is_counted);
  EXPECT_FALSE(Choose("order", true));
  const auto order = Choose("order", false);
  ASSERT_TRUE(order);
  EXPECT_FALSE(order->is_counted);
  EXPECT_EQ(order->slow_from_ns, 2'000'000);
  EXPECT_EQ(order->Text(), "a.Shop.order()V");
}

TEST_F(MethodChoiceTest, TheOrderOfThePatternsMakesNoDifference) {
  for (const char* patterns :
       {"a.Shop.order:2ms+a.Shop.*:count", "a.Shop.*:count+a.Shop.order:2ms"}) {
    choice_.emplace(ParseMethodPatterns(patterns).value());
    EXPECT_FALSE(Choose("order", true)) << patterns;
    ASSERT_TRUE(Choose("order", false)) << patterns;
    EXPECT_EQ(Choose("order", false)->slow_from_ns, 2'000'000) << patterns;
  }
}

TEST_F(MethodChoiceTest, LeavesOutAMethodWithoutCodeThatOnlyAWildcardMatches) {
  EXPECT_FALSE(Choose("pay", true, kAbstract));
  EXPECT_TRUE(Choose("order", false, kAbstract));
}

TEST_F(MethodChoiceTest, PatternsStayUnmatchedUntilAMethodMatches) {
  EXPECT_THAT(choice_->Unmatched(),
              ElementsAre("a.Shop.*:count", "a.Shop.order", "a.Shop.or*:2ms"));
  Choose("pay", true);
  EXPECT_THAT(choice_->Unmatched(), ElementsAre("a.Shop.order", "a.Shop.or*:2ms"));
  choice_->MarkMatched("a/Shop");
  EXPECT_THAT(choice_->Unmatched(), IsEmpty());
}

TEST_F(MethodChoiceTest, CountedAndTimedPatternsMatchClassesSeparately) {
  MethodChoice counted(ParseMethodPatterns("a.*.b:count+c.D.e").value());
  EXPECT_TRUE(counted.MatchesClass("a/Shop", true));
  EXPECT_FALSE(counted.MatchesClass("a/Shop", false));
  EXPECT_TRUE(counted.MatchesClass("c/D", false));
  EXPECT_TRUE(counted.MatchesClass("c/D"));
  EXPECT_FALSE(counted.MatchesClass("d/D"));
}

}  // namespace
}  // namespace jprof
