// The line that shows the counts of an audit.
#include "base/audit_counts.h"

#include <gtest/gtest.h>

namespace jprof {
namespace {

TEST(AuditTextTest, HasTheBoundOfTheErrorRate) {
  AuditCounts counts;
  EXPECT_EQ(AuditText(counts), "0 stacks compared");
  counts[AuditResult::kEqual] = 12'345;
  EXPECT_EQ(AuditText(counts), "12345 stacks compared, 0 wrong (at most 0.03 %)");
}

TEST(AuditTextTest, NamesErrorsAndStacksThatAreNotCompared) {
  AuditCounts counts;
  counts[AuditResult::kEqual] = 996;
  counts[AuditResult::kMissing] = 1;
  counts[AuditResult::kWrongIndex] = 3;
  counts[AuditResult::kDeclared] = 7;
  counts[AuditResult::kNotCompared] = 2;
  EXPECT_EQ(counts.wrong(), 4u);
  EXPECT_EQ(counts.compared(), 1'000u);
  EXPECT_EQ(AuditText(counts),
            "1000 stacks compared, 4 wrong (at most 1.1 %): 1 with missing frames, 3 with a wrong "
            "bytecode index; 7 say that frames are missing; 2 could not be compared");
}

}  // namespace
}  // namespace jprof
