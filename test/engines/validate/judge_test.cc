#include "engines/validate/judge.h"

#include <gtest/gtest.h>

#include <vector>

namespace jprof {
namespace {

using Frames = std::vector<JudgedFrame>;
using Truth = std::vector<TrueEntry>;

JudgedFrame Interpreted(uint32_t number, int32_t bci = 7) { return {number, bci}; }
JudgedFrame Compiled(uint32_t number, int32_t bci = 7) { return {number, bci, true}; }
JudgedFrame Inlined(uint32_t number, int32_t bci = 7) { return {number, bci, true, true}; }
JudgedFrame InProbes(uint32_t number) { return {number, 0, false, false, true}; }
TrueEntry Entry(uint32_t number, int32_t caller_bci = -1) { return {number, caller_bci}; }

// The true stack of the tests below: 1 has called 2, which has called 3.
const Truth kTruth = {Entry(1), Entry(2), Entry(3)};

Verdict VerdictOf(const Frames& walked, const Truth& truth = kTruth) {
  return Judge(walked, truth).verdict;
}

TEST(JudgeTest, StacksOfTheSameMethodsAgree) {
  EXPECT_EQ(VerdictOf({Interpreted(3), Interpreted(2), Interpreted(1)}), Verdict::kEqual);
  EXPECT_EQ(VerdictOf({}, {}), Verdict::kEqual);
}

TEST(JudgeTest, MethodsWithoutProbesAreLeftOut) {
  EXPECT_EQ(VerdictOf({Interpreted(0), Interpreted(3), Interpreted(0), Interpreted(2),
                       Interpreted(1), Interpreted(0)}),
            Verdict::kEqual);
}

TEST(JudgeTest, AFrameInItsOwnProbesNeedNotBeOnTheTrueStack) {
  EXPECT_EQ(VerdictOf({InProbes(4), Interpreted(3), Interpreted(2), Interpreted(1)}),
            Verdict::kEqual);
  EXPECT_EQ(VerdictOf({InProbes(3), Interpreted(2), Interpreted(1)}), Verdict::kEqual);
  EXPECT_EQ(VerdictOf({Interpreted(3), InProbes(9), Interpreted(2), Interpreted(1)}),
            Verdict::kEqual);
  // Recursion: either frame can be the one that is not on the true stack.
  EXPECT_EQ(VerdictOf({InProbes(3), InProbes(3), Interpreted(2), Interpreted(1)}), Verdict::kEqual);
}

TEST(JudgeTest, AFrameMoreOutsideOfItsProbesIsExtra) {
  EXPECT_EQ(VerdictOf({Interpreted(4), Interpreted(3), Interpreted(2), Interpreted(1)}),
            Verdict::kExtra);
  EXPECT_EQ(VerdictOf({Interpreted(3), Interpreted(2), Interpreted(4), Interpreted(1)}),
            Verdict::kExtra);
  EXPECT_EQ(VerdictOf({Interpreted(1)}, {}), Verdict::kExtra);
}

TEST(JudgeTest, AFrameLessIsMissing) {
  EXPECT_EQ(VerdictOf({Interpreted(2), Interpreted(1)}), Verdict::kMissing);
  EXPECT_EQ(VerdictOf({Interpreted(3), Interpreted(1)}), Verdict::kMissing);
  EXPECT_EQ(VerdictOf({}), Verdict::kMissing);
}

TEST(JudgeTest, AStackThatEndsShortOfItsRootIsCut) {
  EXPECT_EQ(VerdictOf({Interpreted(3), Interpreted(2)}), Verdict::kCut);
  EXPECT_EQ(VerdictOf({Interpreted(3)}), Verdict::kCut);
}

TEST(JudgeTest, AnInnermostFrameInItsProbesDoesNotHideTheSortOfTheDifference) {
  EXPECT_EQ(VerdictOf({InProbes(9), Interpreted(3)}), Verdict::kCut);
  EXPECT_EQ(VerdictOf({InProbes(9), Interpreted(3), Interpreted(1)}), Verdict::kMissing);
}

TEST(JudgeTest, OtherMethodsOrdersAndThreadsAreToldApart) {
  EXPECT_EQ(VerdictOf({Interpreted(3), Interpreted(5), Interpreted(1)}), Verdict::kWrongMethod);
  EXPECT_EQ(VerdictOf({Interpreted(2), Interpreted(3), Interpreted(1)}), Verdict::kWrongOrder);
  EXPECT_EQ(VerdictOf({Interpreted(7), Interpreted(8), Interpreted(9)}), Verdict::kWrongThread);
}

TEST(JudgeTest, AKnownIndexOfACallerMustBeEqual) {
  const Truth truth = {Entry(1), Entry(2, 10), Entry(3, 20)};
  EXPECT_EQ(VerdictOf({Interpreted(3, 1), Interpreted(2, 20), Interpreted(1, 10)}, truth),
            Verdict::kEqual);
  EXPECT_EQ(VerdictOf({Interpreted(3, 1), Interpreted(2, 21), Interpreted(1, 10)}, truth),
            Verdict::kWrongIndex);
  EXPECT_EQ(VerdictOf({Interpreted(3, 1), Interpreted(2, 20), Interpreted(1, 11)}, truth),
            Verdict::kWrongIndex);
}

TEST(JudgeTest, ADifferenceInTheInnermostCompiledFrameIsConfined) {
  // 3 is inlined into 2, and the walk has found it left already, or not entered yet.
  EXPECT_TRUE(Judge(Frames{Compiled(2), Interpreted(1)}, kTruth).is_confined);
  EXPECT_TRUE(
      Judge(Frames{Inlined(4), Inlined(3), Compiled(2), Interpreted(1)}, kTruth).is_confined);
  EXPECT_TRUE(Judge(Frames{Inlined(5), Compiled(2), Interpreted(1)}, kTruth).is_confined);
  // The physical frame is that of another method.
  EXPECT_FALSE(Judge(Frames{Inlined(3), Compiled(5), Interpreted(1)}, kTruth).is_confined);
  // Frames below the innermost physical one differ.
  EXPECT_FALSE(Judge(Frames{Inlined(3), Compiled(2), Interpreted(5)}, kTruth).is_confined);
  EXPECT_FALSE(Judge(Frames{Compiled(3), Compiled(1)}, kTruth).is_confined);
  // The interpreter moves no instructions.
  EXPECT_FALSE(Judge(Frames{Interpreted(2), Interpreted(1)}, kTruth).is_confined);
}

TEST(JudgeTest, AWrongIndexBelowTheInnermostCompiledFrameIsNotConfined) {
  const Truth truth = {Entry(1), Entry(2, 10), Entry(3, 20)};
  EXPECT_TRUE(Judge(Frames{Inlined(3), Compiled(2, 21), Compiled(1, 10)}, truth).is_confined);
  EXPECT_FALSE(Judge(Frames{Inlined(3), Compiled(2, 20), Compiled(1, 11)}, truth).is_confined);
}

}  // namespace
}  // namespace jprof
