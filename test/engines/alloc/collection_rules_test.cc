#include <gtest/gtest.h>

#include "engines/alloc/collection_log.h"

namespace jprof {
namespace {

using Frees = Collection::Frees;

constexpr int kYoung = 0;

GcPause PauseOf(int collector, Nanos start_ns) {
  GcPause pause;
  pause.start_ns = start_ns;
  pause.collector_number = collector;
  return pause;
}

TEST(CollectionRulesTest, AYoungPauseFreesYoungObjectsAndAFullOneAll) {
  CollectionRules rules(CollectionRules::InCycle::kNo);
  const auto young = rules.Judge(PauseOf(kYoung, 10));
  ASSERT_TRUE(young);
  EXPECT_EQ(young->before_ns, 10);
  EXPECT_EQ(young->frees, Frees::kYoung);
  const auto full = rules.Judge(PauseOf(CollectionRules::kFull, 20));
  ASSERT_TRUE(full);
  EXPECT_EQ(full->before_ns, 20);
  EXPECT_EQ(full->frees, Frees::kAll);
}

TEST(CollectionRulesTest, ACycleFreesObjectsOlderThanItsFirstYoungPause) {
  CollectionRules rules(CollectionRules::InCycle::kNo);
  rules.Judge(PauseOf(CollectionRules::kFull, 10));
  rules.Judge(PauseOf(kYoung, 20));
  rules.Judge(PauseOf(kYoung, 30));
  const auto remark = rules.Judge(PauseOf(CollectionRules::kConcurrent, 40));
  ASSERT_TRUE(remark);
  EXPECT_EQ(remark->before_ns, 20);
  EXPECT_EQ(remark->frees, Frees::kAll);
  rules.Judge(PauseOf(kYoung, 45));
  EXPECT_FALSE(rules.Judge(PauseOf(CollectionRules::kConcurrent, 50))) << "the Cleanup";
  rules.Judge(PauseOf(kYoung, 60));
  const auto next = rules.Judge(PauseOf(CollectionRules::kConcurrent, 70));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->before_ns, 60);
}

TEST(CollectionRulesTest, ACycleWithoutAKnownStartFreesNothing) {
  CollectionRules rules(CollectionRules::InCycle::kNo);
  rules.Judge(PauseOf(kYoung, 10));
  const auto remark = rules.Judge(PauseOf(CollectionRules::kConcurrent, 20));
  ASSERT_TRUE(remark);
  EXPECT_EQ(remark->before_ns, 0);
}

TEST(CollectionRulesTest, TheFirstConcurrentPauseOfAnOpenCycleIsItsCleanup) {
  CollectionRules rules(CollectionRules::InCycle::kYes);
  rules.Judge(PauseOf(kYoung, 10));
  EXPECT_FALSE(rules.Judge(PauseOf(CollectionRules::kConcurrent, 20)));
  rules.Judge(PauseOf(kYoung, 30));
  const auto remark = rules.Judge(PauseOf(CollectionRules::kConcurrent, 40));
  ASSERT_TRUE(remark);
  EXPECT_EQ(remark->before_ns, 30);
}

TEST(CollectionRulesTest, TheSecondOfTwoConcurrentPausesIsTheCleanup) {
  CollectionRules rules(CollectionRules::InCycle::kYes);
  rules.Judge(PauseOf(kYoung, 10));
  rules.Judge(PauseOf(CollectionRules::kConcurrent, 20));  // actually a Remark
  EXPECT_FALSE(rules.Judge(PauseOf(CollectionRules::kConcurrent, 25)));
  rules.Judge(PauseOf(kYoung, 30));
  EXPECT_TRUE(rules.Judge(PauseOf(CollectionRules::kConcurrent, 40)));
}

TEST(CollectionRulesTest, AFullPauseEndsTheCycleThatItInterrupts) {
  CollectionRules rules(CollectionRules::InCycle::kNo);
  rules.Judge(PauseOf(CollectionRules::kFull, 10));
  rules.Judge(PauseOf(kYoung, 20));
  rules.Judge(PauseOf(CollectionRules::kConcurrent, 30));
  rules.Judge(PauseOf(CollectionRules::kFull, 40));
  rules.Judge(PauseOf(kYoung, 50));
  const auto remark = rules.Judge(PauseOf(CollectionRules::kConcurrent, 60));
  ASSERT_TRUE(remark) << "not taken for the Cleanup of the first cycle";
  EXPECT_EQ(remark->before_ns, 50);
}

}  // namespace
}  // namespace jprof
