#include "sigsafe/stack/vm_cursor.h"

#include <atomic>
#include <thread>

#include "sigsafe/native/native_code.h"
#include "sigsafe/native/native_registers.h"
#include "sigsafe/stack/vm_walk_test.h"
#include "unwind/unwind_table_builder.h"

namespace jprof::test {
namespace {

// Lays out the frames of two compiled methods, called from the entry. The inner one has a method
// inlined into it.
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

TEST_F(VmCursorTest, EachStepYieldsAFrameAndTheLastOneTheEnd) {
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

TEST_F(VmCursorTest, YieldsAFrameBeforeItSearchesForTheCaller) {
  vm_.Stack(303) = 0;
  const WalkContext context = ContextOf(start_);
  VmCursor cursor(context, start_, WalkUntil::kThreadEntry);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(cursor.Step(), VmStep::kFrame);
  EXPECT_EQ(TextOf(cursor.frame()), "c2:a0:3");
  ASSERT_EQ(cursor.Step(), VmStep::kBroken);
  EXPECT_EQ(cursor.why(), WalkOutcome::kBrokenCompiled);
}

TEST_F(VmCursorTest, AnotherThreadCanWalk) {
  std::string walked;
  std::thread([&] { walked = WalkFrom(start_); }).join();
  EXPECT_EQ(walked, "inlined:c0:1 c2:b0:2 c2:a0:3 root");
}

// The walked stack has a frame in code of a library. The stack belongs to another thread, so it is
// not read by plain loads.
TEST_F(VmCursorTest, AnotherThreadCanWalkNativeFrames) {
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

// A signal handler of the program has interrupted compiled code. The step from the signal frame
// leads to the interrupted instruction, where the frame of the compiled method can be incomplete.
TEST_F(VmCursorTest, LeavesCompiledCodeBelowASignalFrame) {
  constexpr size_t kHandler = 80;  // the word with the interrupted stack pointer
  constexpr size_t kEnd = 100;
  const auto at_sp = [](int32_t word) {
    return Place{PlaceKind::kAtRegister, kStackPointerNumber, 8 * word};
  };
  UnwindRule rule;
  rule.cfa = CfaKind::kAtRegister;
  rule.cfa_register = kStackPointerNumber;
  rule.is_signal_frame = true;
  rule.return_address = at_sp(1);
  rule.frame_pointer = at_sp(2);
  UnwindTableBuilder builder(64);
  builder.Add(0, rule);
  const Result<BuiltTable> built = builder.Build();
  ASSERT_TRUE(built.ok());
  const CodeRange range = {NativeCode() - 32, NativeCode() + 32, built.value().table};
  jprof::NativeCode::OfProcess().Publish(&range, 1);
  // Offsets of instructions, and the number of words of the frame that are on the stack there.
  const std::pair<uint64_t, size_t> all[] = {{0, 1},  {5, 1},  {12, 1}, {13, 2}, {17, 4}, {30, 4},
                                             {60, 4}, {64, 2}, {65, 1}, {72, 1}, {78, 1}};
  for (const auto& [offset, words] : all) {
    CalledFromEntry(kEnd);
    if (words == 1) vm_.Stack(kEnd - 2) = 0xdead;  // not pushed yet, or already popped
    vm_.Stack(kHandler) = vm_.StackAddress(kEnd - words);
    vm_.Stack(kHandler + 1) = compiled_ + offset;
    vm_.Stack(kHandler + 2) = words == 4 ? 0x1234 : vm_.StackAddress(kEntry);
    EXPECT_EQ(Walk(NativeCode(), kHandler, 0),
              offset <= 50 ? "native c2:a0:3 root" : "native c2:a0:-1 root")
        << offset;
  }
  jprof::NativeCode::OfProcess().Publish(nullptr, 0);
}

}  // namespace
}  // namespace jprof::test
