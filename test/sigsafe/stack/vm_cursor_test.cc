#include "sigsafe/stack/vm_cursor.h"

#include <atomic>
#include <thread>

#include "sigsafe/stack/vm_walk_test.h"

namespace jprof::test {
namespace {

// Two frames of one compiled method, with a method inlined into the inner one, called from the
// entry.
class VmCursorTest : public VmWalkTest {
 protected:
  VmCursorTest() {
    FakeVm::Nmethod outer;
    outer.method = vm_.AddMethod(0xB0, 10);
    outer.frame_complete = 0;
    outer.code[45] = 0xe8;
    const uint64_t inlined = vm_.AddMethod(0xC0, 10);
    outer.places = {{50, {{inlined, 1}, {outer.method, 2}}}};
    inner_ = vm_.AddNmethod(outer);
    CalledFromEntry(304);
    vm_.Stack(299) = compiled_ + 50;
    vm_.Stack(298) = 0x77;  // the saved frame pointer
    EXPECT_TRUE(StartAtRegisters(vm_.layout(), vm_.java_thread(),
                                 {inner_ + 50, vm_.StackAddress(296), 0x55, PcMeaning::kReturn},
                                 &start_));
  }

  uint64_t inner_;
  WalkStart start_{};
};

TEST_F(VmCursorTest, EachStepIsOneFrameAndTheLastOneSaysHowTheStackEnds) {
  const WalkContext context = ContextOf(start_);
  VmCursor cursor(context, start_, WalkUntil::kThreadEntry);
  std::vector<std::string> frames;
  VmStep step = cursor.Step();
  for (; step == VmStep::kFrame; step = cursor.Step()) frames.push_back(TextOf(cursor.frame()));
  EXPECT_EQ(step, VmStep::kRoot);
  EXPECT_EQ(frames, (std::vector<std::string>{"inlined:c0:1", "c2:b0:2", "c2:a0:3"}));
}

TEST_F(VmCursorTest, InlinedFramesShareTheirRegisters) {
  const WalkContext context = ContextOf(start_);
  VmCursor cursor(context, start_, WalkUntil::kThreadEntry);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(cursor.Step(), VmStep::kFrame);
    EXPECT_EQ(cursor.position().pc, inner_ + 50);
    EXPECT_EQ(cursor.position().sp, vm_.StackAddress(296));
    EXPECT_EQ(cursor.position().fp, 0x55u);
  }
  ASSERT_EQ(cursor.Step(), VmStep::kFrame);
  EXPECT_EQ(cursor.position().pc, compiled_ + 50);
  EXPECT_EQ(cursor.position().sp, vm_.StackAddress(300));
  EXPECT_EQ(cursor.position().fp, 0x77u);
}

TEST_F(VmCursorTest, AFrameIsTakenBeforeItsCallerIsLookedFor) {
  vm_.Stack(303) = 0;
  const WalkContext context = ContextOf(start_);
  VmCursor cursor(context, start_, WalkUntil::kThreadEntry);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(cursor.Step(), VmStep::kFrame);
  EXPECT_EQ(TextOf(cursor.frame()), "c2:a0:3");
  ASSERT_EQ(cursor.Step(), VmStep::kBroken);
  EXPECT_EQ(cursor.why(), WalkOutcome::kBrokenCompiled);
}

TEST_F(VmCursorTest, AnotherThreadMayWalk) {
  std::string walked;
  std::thread([&] { walked = WalkFrom(start_); }).join();
  EXPECT_EQ(walked, "inlined:c0:1 c2:b0:2 c2:a0:3 root");
}

// A frame in code of a library, on a stack that is not the walking thread's.
TEST_F(VmCursorTest, AnotherThreadMayWalkNativeFramesAsWell) {
  const uint8_t call[] = {0xe8, 0, 0, 0, 0};
  uint8_t code[64] = {};
  std::copy(std::begin(call), std::end(call), code + 27);
  const auto begin = reinterpret_cast<uint64_t>(code);
  vm_.Stack(291) = compiled_ + 50;
  vm_.Stack(290) = 0x66;
  vm_.Stack(300 - 8) = 0;
  vm_.Stack(295) = vm_.layout().call_stub_return;
  vm_.Stack(294) = vm_.StackAddress(kEntry);
  ASSERT_TRUE(StartAtRegisters(
      vm_.layout(), vm_.java_thread(),
      {begin + 40, vm_.StackAddress(288), vm_.StackAddress(290), PcMeaning::kNext}, &start_));
  std::string walked;
  std::thread([&] { walked = WalkFrom(start_, StackMode::kFp); }).join();
  EXPECT_EQ(walked.substr(0, 15), "native c2:a0:3 ");
}

}  // namespace
}  // namespace jprof::test
