#include "base/placeholders.h"

#include <gtest/gtest.h>

#include <set>

#include "sigsafe/base/sample_kinds.h"
#include "sigsafe/stack/frame.h"

namespace jprof {
namespace {

TEST(PlaceholdersTest, ExplainsEveryTextThatHandlersUse) {
  for (const char* frame : kWalkOutcomeFrames) EXPECT_NE(FindPlaceholder(frame), nullptr) << frame;
  for (const char* reason : kLostReasonText) {
    EXPECT_NE(FindPlaceholder("[lost: " + std::string(reason) + "]"), nullptr) << reason;
  }
}

TEST(PlaceholdersTest, EachIsInBracketsOnceAndHasASentence) {
  std::set<std::string_view> texts;
  for (const PlaceholderRow& row : kPlaceholders) {
    EXPECT_TRUE(texts.insert(row.text).second) << row.text;
    EXPECT_TRUE(row.text.starts_with('[') && row.text.ends_with(']')) << row.text;
    EXPECT_TRUE(row.explanation.ends_with('.')) << row.text;
    EXPECT_EQ(row.explanation.find_first_of("|\n"), std::string_view::npos) << "a cell of a table";
  }
}

TEST(PlaceholdersTest, FindsARowWhateverTheNumberIs) {
  const PlaceholderRow* row = FindPlaceholder("[1234 other threads]");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->text, Text(Placeholder::kOtherThreads));
  EXPECT_EQ(FindPlaceholder("[tid 7]")->text, Text(Placeholder::kNamelessThread));
}

TEST(PlaceholdersTest, FindsNoRowForOtherNames) {
  for (const char* name : {"", "main", "[", "[tid]", "[main]", "java.lang.Thread.run"}) {
    EXPECT_EQ(FindPlaceholder(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace jprof
