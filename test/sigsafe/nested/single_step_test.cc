#include "support/single_step.h"

#include <gtest/gtest.h>

namespace jprof::test {
namespace {

TEST(SingleStepTest, RunsNestedBetweenTheInstructionsOfTheBody) {
  volatile int written = 0;
  bool seen[4] = {};
  const size_t steps = AtEveryInstruction(
      [&] {
        written = 1;
        written = 2;
        written = 3;
      },
      [&] { seen[written] = true; });
  for (const bool each : seen) EXPECT_TRUE(each);
  EXPECT_GE(steps, 4u);
  EXPECT_LT(steps, 1000u);
}

}  // namespace
}  // namespace jprof::test
