#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <set>
#include <string>

#include "sigsafe/stack/frame.h"

namespace jprof {
namespace {

// The codes of forte.cpp are 0 to -10 (OpenJDK jdk-17+35, and the same in 21 and 25).
TEST(WalkOutcomeTest, EachCodeOfHotSpotHasAnOutcomeOfItsOwn) {
  std::set<WalkOutcome> outcomes;
  for (int32_t code = 0; code >= -10; --code) {
    const WalkOutcome outcome = OutcomeOfCode(code);
    EXPECT_NE(outcome, WalkOutcome::kUnknownCode) << code;
    EXPECT_TRUE(outcomes.insert(outcome).second) << code;
  }
  EXPECT_EQ(OutcomeOfCode(-1), WalkOutcome::kNoClassLoad);
  EXPECT_EQ(OutcomeOfCode(-2), WalkOutcome::kGcActive);
  EXPECT_EQ(OutcomeOfCode(-8), WalkOutcome::kThreadExit);
  EXPECT_EQ(OutcomeOfCode(-9), WalkOutcome::kDeoptimisation);
}

TEST(WalkOutcomeTest, ACodeWithoutARowIsUnknown) {
  for (const int32_t code : {-11, -50, 1, std::numeric_limits<int32_t>::min()}) {
    EXPECT_EQ(OutcomeOfCode(code), WalkOutcome::kUnknownCode) << code;
  }
}

TEST(WalkOutcomeTest, EachOutcomeHasABracketedFrameNameOfItsOwn) {
  std::set<std::string> names;
  for (size_t i = 0; i < kWalkOutcomeCount; ++i) {
    const std::string name = FrameName(static_cast<WalkOutcome>(i));
    EXPECT_TRUE(name.front() == '[' && name.back() == ']') << name;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
}

}  // namespace
}  // namespace jprof
