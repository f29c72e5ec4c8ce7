// Runs a nested handler at every instruction of CallTraceHashTable::Put.
#include <gtest/gtest.h>

#include <set>

#include "sigsafe/stack/call_trace_hash_table.h"
#include "sigsafe/stack/test_stack.h"
#include "support/sanitizer.h"
#include "support/single_step.h"

namespace jprof {
namespace {

using test::AtEveryInstruction;
using test::SmallTable;
using test::StackOf;
using test::TestStack;

// A nested Put interrupts a Put to a new table at one instruction, and the next Put one step later.
// Under a sanitizer only every 32nd instruction is tested, because a sanitizer multiplies the
// instructions.
constexpr size_t kTableStride = test::kUnderSanitizer ? 32 : 1;

TEST(TableNestedTest, APutInsideAPutOfTheSameStackYieldsOneId) {
  const TestStack stack = StackOf(1);
  size_t steps = 1;
  for (size_t at = 0; at < steps; at += kTableStride) {
    SmallTable table(16, 4096);
    CallTraceId outer{};
    CallTraceId nested{};
    size_t step = 0;
    steps = AtEveryInstruction([&] { outer = table.Put(stack); },
                               [&] {
                                 if (step++ == at) nested = table.Put(stack);
                               });
    ASSERT_EQ(outer, nested) << "nested at instruction " << at;
    ASSERT_TRUE(Same(table->Find(outer), stack));
  }
  EXPECT_GT(steps, 50u);
}

TEST(TableNestedTest, APutInsideAPutOfAnotherStackYieldsTwo) {
  const TestStack stack = StackOf(1);
  const TestStack other = StackOf(2);
  size_t steps = 1;
  for (size_t at = 0; at < steps; at += kTableStride) {
    SmallTable table(2, 4096);  // both stacks compete for the same slots
    CallTraceId outer{};
    CallTraceId nested{};
    size_t step = 0;
    steps = AtEveryInstruction([&] { outer = table.Put(stack); },
                               [&] {
                                 if (step++ == at) nested = table.Put(other);
                               });
    ASSERT_NE(outer, nested) << "nested at instruction " << at;
    ASSERT_TRUE(Same(table->Find(outer), stack));
    ASSERT_TRUE(Same(table->Find(nested), other));
  }
}

}  // namespace
}  // namespace jprof
