#include "sigsafe/base/check.h"

#include <gtest/gtest.h>

namespace jprof {
namespace {

#ifdef JPROF_CHECKS
TEST(CheckDeathTest, ABrokenConditionEndsTheProcess) {
  const int items = 3;
  EXPECT_DEATH(JPROF_CHECK(items > 3), "");
  JPROF_CHECK(items == 3);
}
#else
bool Evaluate(int* times) {
  ++*times;
  return false;
}

TEST(CheckTest, AReleaseBuildDoesNotEvaluateTheCondition) {
  int evaluated = 0;
  JPROF_CHECK(Evaluate(&evaluated));
  EXPECT_EQ(evaluated, 0);
}
#endif

}  // namespace
}  // namespace jprof
