#include "base/remarks.h"

#include <gtest/gtest.h>

#include <set>

#include "sigsafe/base/lost_reason.h"
#include "sigsafe/stack/walk_outcome.h"

namespace jprof {
namespace {

TEST(RemarksTest, WhatAHandlerMayAnswerIsExplained) {
  for (const char* frame : kWalkOutcomeFrames) EXPECT_NE(FindRemark(frame), nullptr) << frame;
  for (const char* reason : kLostReasonText) {
    EXPECT_NE(FindRemark("[lost: " + std::string(reason) + "]"), nullptr) << reason;
  }
}

TEST(RemarksTest, EachIsInBracketsOnceAndHasASentence) {
  std::set<std::string_view> texts;
  for (const RemarkRow& row : kRemarks) {
    EXPECT_TRUE(texts.insert(row.text).second) << row.text;
    EXPECT_TRUE(row.text.starts_with('[') && row.text.ends_with(']')) << row.text;
    EXPECT_TRUE(row.explanation.ends_with('.')) << row.text;
    EXPECT_EQ(row.explanation.find_first_of("|\n"), std::string_view::npos) << "a cell of a table";
  }
}

TEST(RemarksTest, ANumberIsAnyNumber) {
  const RemarkRow* row = FindRemark("[1234 other threads]");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->text, Text(Remark::kOtherThreads));
  EXPECT_EQ(FindRemark("[tid 7]")->text, Text(Remark::kNamelessThread));
}

TEST(RemarksTest, OtherNamesAreNone) {
  for (const char* name : {"", "main", "[", "[tid]", "[main]", "java.lang.Thread.run"}) {
    EXPECT_EQ(FindRemark(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace jprof
