// Each error of a walker gets its own name.
#include "audit/stack_difference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace jprof {
namespace {

using Frames = std::vector<AuditedFrame>;

// A stack as deep as those of programs, with a method that calls itself.
const Frames kStack = {{1, 5}, {2, 17}, {3, -1}, {4, 8}, {4, 8}, {4, 8}, {4, 21}, {5, 3}, {6, 0}};

void ExpectResult(const Frames& walked, AuditResult result, size_t at) {
  const FoundDifference found = CompareStacks(walked, kStack);
  EXPECT_EQ(found.result, result);
  EXPECT_EQ(found.at, at);
}

TEST(CompareStacksTest, EqualStacksHaveNoDifference) {
  ExpectResult(kStack, AuditResult::kEqual, 0);
  EXPECT_EQ(CompareStacks({}, {}).result, AuditResult::kEqual);
}

TEST(CompareStacksTest, EachSkippedFrameIsMissing) {
  for (size_t i = 0; i + 1 < kStack.size(); ++i) {
    Frames walked = kStack;
    walked.erase(walked.begin() + static_cast<ptrdiff_t>(i));
    EXPECT_EQ(CompareStacks(walked, kStack).result, AuditResult::kMissing) << i;
  }
}

TEST(CompareStacksTest, EachAddedFrameIsExtra) {
  for (size_t i = 0; i <= kStack.size(); ++i) {
    Frames walked = kStack;
    walked.insert(walked.begin() + static_cast<ptrdiff_t>(i), {7, 7});
    ExpectResult(walked, AuditResult::kExtra, i);
  }
}

TEST(CompareStacksTest, EachCutStackIsCut) {
  for (size_t size = 0; size < kStack.size(); ++size) {
    ExpectResult(Frames(kStack.begin(), kStack.begin() + static_cast<ptrdiff_t>(size)),
                 AuditResult::kCut, size);
  }
}

TEST(CompareStacksTest, EachWrongMethodAndIndexIsNamed) {
  for (size_t i = 0; i < kStack.size(); ++i) {
    Frames walked = kStack;
    walked[i].method = 99;
    ExpectResult(walked, AuditResult::kWrongMethod, i);
    walked[i] = {kStack[i].method, kStack[i].bci + 1};
    ExpectResult(walked, AuditResult::kWrongIndex, i);
  }
}

TEST(CompareStacksTest, ExchangedCallersAreNamed) {
  Frames walked = kStack;
  std::swap(walked[1], walked[2]);
  ExpectResult(walked, AuditResult::kWrongOrder, 1);
  walked = kStack;
  std::swap(walked[7], walked[8]);
  ExpectResult(walked, AuditResult::kWrongOrder, 7);
}

TEST(CompareStacksTest, AnOrderOfMoreThanTwoFramesIsNamed) {
  Frames walked = kStack;
  std::rotate(walked.begin(), walked.begin() + 1, walked.begin() + 3);
  ExpectResult(walked, AuditResult::kWrongOrder, 0);
}

// A frame of a method that calls itself is neither missing nor extra if the length is right.
TEST(CompareStacksTest, AWrongIndexAmongEqualFramesIsNamed) {
  const Frames expected(100, {4, 8});
  Frames walked = expected;
  walked[50].bci = 9;
  EXPECT_EQ(CompareStacks(walked, expected).result, AuditResult::kWrongIndex);
  EXPECT_EQ(CompareStacks(std::span(walked).first(60), expected, StackPart::kBeginning).result,
            AuditResult::kWrongIndex);
  walked = expected;
  walked.pop_back();
  EXPECT_EQ(CompareStacks(walked, expected).result, AuditResult::kCut);
}

TEST(CompareStacksTest, ABeginningMayEndEarlier) {
  const Frames walked(kStack.begin(), kStack.begin() + 4);
  EXPECT_EQ(CompareStacks(walked, kStack, StackPart::kBeginning).result, AuditResult::kEqual);
  Frames wrong = walked;
  wrong.erase(wrong.begin() + 1);
  EXPECT_EQ(CompareStacks(wrong, kStack, StackPart::kBeginning).result, AuditResult::kMissing);
  wrong = walked;
  wrong[3].bci = 99;
  EXPECT_EQ(CompareStacks(wrong, kStack, StackPart::kBeginning).result, AuditResult::kWrongIndex);
  EXPECT_EQ(CompareStacks(kStack, walked, StackPart::kBeginning).result, AuditResult::kExtra);
}

TEST(CompareStacksTest, TheFirstErrorCounts) {
  Frames walked = kStack;
  walked[1].bci = 99;
  walked.pop_back();
  ExpectResult(walked, AuditResult::kWrongIndex, 1);
}

}  // namespace
}  // namespace jprof
