#include "sigsafe/validation/agct_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sigsafe/os/thread_id.h"

namespace jprof {
namespace {

std::vector<char> g_memory;
std::string g_noted;  // the text in the memory during a call

std::string Noted() { return {g_memory.data()}; }

void FakeAgct(void* trace, int32_t, void*) {
  g_noted = Noted();
  // The number of frames.
  static_cast<int32_t*>(trace)[2] = 7;
}

class AgctCallsTest : public testing::Test {
 protected:
  static Region Zeroed() {
    g_memory.assign(AgctCalls::kNoteBytes, 0);
    return {g_memory.data(), g_memory.size()};
  }

  AgctCalls calls_{Zeroed()};
};

TEST_F(AgctCallsTest, TheNoteIsThereWhileTheCallIsBeingMade) {
  AgctCall call(calls_);
  ASSERT_TRUE(call);
  call.BeginNote(Layer::kSignal, Tier::kC2).Append("stack\nShop.order()V @ 3\n");
  EXPECT_EQ(Noted(), "");
  EXPECT_EQ(call.Run(FakeAgct, nullptr, nullptr, nullptr, 10).frames, 7u);
  EXPECT_EQ(Noted(), "");
  EXPECT_THAT(g_noted, testing::StartsWith("thread " + std::to_string(Value(CurrentTid())) + " "));
  EXPECT_THAT(g_noted,
              testing::EndsWith("\nlayer signal\nwalker AsyncGetCallTrace\ntier C2\nstack\n"
                                "Shop.order()V @ 3\n"));
}

TEST_F(AgctCallsTest, AShorterNoteHidesALongerOne) {
  for (const std::string& stack : {std::string(5000, 'x'), std::string("Shop.order()V")}) {
    AgctCall call(calls_);
    call.BeginNote(Layer::kSignal, Tier::kC2).Append("stack\n").Append(stack);
    call.Run(FakeAgct, nullptr, nullptr, nullptr, 10);
  }
  EXPECT_THAT(g_noted, testing::EndsWith("stack\nShop.order()V"));
}

TEST_F(AgctCallsTest, ANoteThatIsTooLongIsCut) {
  AgctCall call(calls_);
  call.BeginNote(Layer::kSignal, Tier::kC2).Append(std::string(2 * AgctCalls::kNoteBytes, 'x'));
  call.Run(FakeAgct, nullptr, nullptr, nullptr, 10);
  EXPECT_EQ(g_noted.size(), AgctCalls::kNoteBytes - 1);
}

TEST_F(AgctCallsTest, OneCallIsMadeAtATime) {
  {
    const AgctCall first(calls_);
    EXPECT_TRUE(first);
    EXPECT_FALSE(AgctCall(calls_));
  }
  EXPECT_TRUE(AgctCall(calls_));
}

TEST(BoundedTextTest, NumbersAreDecimalOrHexadecimal) {
  char memory[64];
  BoundedText text(memory, sizeof memory);
  text.AppendDecimal(-12).Append(" ").AppendDecimal(0).Append(" ").AppendHex(0x1f).Append(" ");
  text.AppendHex(7, 2);
  EXPECT_EQ(text.view(), "-12 0 1f 07");
}

}  // namespace
}  // namespace jprof
