#include "call_traces/preserved_call_traces.h"

#include <gtest/gtest.h>

#include "sigsafe/stack/test_stack.h"

namespace jprof {
namespace {

using test::SmallTable;
using test::StackOf;

class PreservedCallTracesTest : public testing::Test {
 protected:
  // Puts a stack into a table of `epoch` and preserves it.
  CallTraceId Keep(uint32_t epoch, uint32_t depth) {
    SmallTable table(64, 1 << 20, epoch);
    const CallTraceId id = table.Put(StackOf(epoch, depth));
    live_.Keep(id);
    preserved_.DropDead(live_);
    preserved_.Adopt(live_, *table.operator->(), [this](const CallTrace&) { ++kept_; });
    return id;
  }

  LiveCallTraces live_;
  PreservedCallTraces preserved_{8000};
  int kept_ = 0;  // stacks of which the names were kept
};

TEST_F(PreservedCallTracesTest, ACopyOutlivesItsTable) {
  const CallTraceId id = Keep(5, 20);
  EXPECT_TRUE(Same(preserved_.Find(id), StackOf(5, 20)));
  EXPECT_EQ(kept_, 1);
  EXPECT_EQ(preserved_.Find(CallTraceId{Value(id) + 1}), nullptr);
}

TEST_F(PreservedCallTracesTest, DropsTracesThatAreNotNamed) {
  const CallTraceId first = Keep(1, 5);
  live_.Clear();
  const CallTraceId second = Keep(2, 5);
  EXPECT_EQ(preserved_.Find(first), nullptr);
  EXPECT_NE(preserved_.Find(second), nullptr);
  EXPECT_EQ(preserved_.size(), 1u);
}

TEST_F(PreservedCallTracesTest, DroppedTracesMakeRoom) {
  for (uint32_t epoch = 1; epoch <= 20; ++epoch) {  // 1056 bytes a stack
    live_.Clear();
    const CallTraceId id = Keep(epoch, 60);
    ASSERT_NE(preserved_.Find(id), nullptr) << epoch;
  }
}

TEST_F(PreservedCallTracesTest, BeyondTheLimitTheOldestEpochsGoFirst) {
  std::vector<CallTraceId> ids;
  for (uint32_t epoch = 1; epoch <= 12; ++epoch) ids.push_back(Keep(epoch, 60));  // 1056 bytes each
  EXPECT_EQ(preserved_.Find(ids.front()), nullptr);
  EXPECT_NE(preserved_.Find(ids.back()), nullptr);
  EXPECT_EQ(preserved_.size(), 7u);
  bool found = false;
  for (const CallTraceId id : ids) {
    EXPECT_TRUE(!found || preserved_.Find(id) != nullptr) << "a younger epoch went first";
    found = found || preserved_.Find(id) != nullptr;
  }
}

}  // namespace
}  // namespace jprof
