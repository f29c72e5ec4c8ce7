// Tests steps over synthetic stacks in a real signal handler.
#include "sigsafe/native/native_cursor.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "support/signal_body.h"
#include "unwind/unwind_table_builder.h"

namespace jprof {
namespace {

constexpr uint64_t kCode = 0x10000;  // address of the synthetic code
constexpr uint64_t kCodeSize = 0x1000;
constexpr Place kAtCfaMinus8 = {PlaceKind::kAtCfa, 0, -8};

UnwindRule FromRegister(uint8_t dwarf_register, int32_t offset) {
  UnwindRule rule;
  rule.cfa = CfaKind::kRegister;
  rule.cfa_register = dwarf_register;
  rule.cfa_offset = offset;
  rule.return_address = kAtCfaMinus8;
  return rule;
}

UnwindRule FromSp(int32_t offset) { return FromRegister(kStackPointerNumber, offset); }

UnwindRule Plain(CfaKind kind) {
  UnwindRule rule;
  rule.cfa = kind;
  return rule;
}

class NativeCursorTest : public testing::Test {
 protected:
  // Adds the rule that holds from `offset` in the code on. REQUIRES: offsets ascend.
  void Add(uint64_t offset, const UnwindRule& rule) { builder_.Add(offset, rule); }

  void Publish() {
    Result<BuiltTable> built = builder_.Build();
    ASSERT_TRUE(built.ok());
    table_.emplace(std::move(built).value());
    const CodeRange range = {kCode, kCode + kCodeSize, table_->table};
    code_->Publish(&range, 1);
  }

  uint64_t At(size_t word) const { return reinterpret_cast<uint64_t>(&stack_[word]); }

  // The frames of a walk, and the outcome of its last step. Walk walks in a signal handler.
  struct Walked {
    std::vector<NativeRegisters> frames;
    StepOutcome end = StepOutcome::kFrame;
  };
  Walked Walk(const NativeRegisters& start, const ucontext_t* context = nullptr) {
    Walked walked;
    walked.frames.resize(16);
    size_t count = 0;
    test::InSignal([&] {
      StackMemory memory(start.sp, {}, LoadFaults::kFatal);
      NativeCursor cursor(code_.get(), &memory, start, context);
      while (count < walked.frames.size() && walked.end == StepOutcome::kFrame) {
        walked.frames[count++] = cursor.registers();
        walked.end = cursor.Step();
      }
    });
    walked.frames.resize(count);
    return walked;
  }

  UnwindTableBuilder builder_{kCodeSize};
  std::optional<BuiltTable> table_;
  std::unique_ptr<NativeCode> code_ = std::make_unique<NativeCode>();
  alignas(16) uint64_t stack_[64] = {};
};

TEST_F(NativeCursorTest, WalksToTheOutermostFrame) {
  UnwindRule keeps_fp = FromSp(32);
  keeps_fp.frame_pointer = {PlaceKind::kAtCfa, 0, -16};
  Add(0x100, FromSp(16));
  Add(0x200, keeps_fp);
  Add(0x300, FromRegister(kFramePointerNumber, 16));
  Add(0x400, Plain(CfaKind::kOutermost));
  Publish();
  stack_[1] = kCode + 0x210;  // the first frame's return address, at its sp + 8
  stack_[4] = At(10);         // the second frame's saved fp
  stack_[5] = kCode + 0x310;
  stack_[11] = kCode + 0x410;  // the return address at fp + 8

  const Walked walked = Walk({kCode + 0x100, At(0), 7, 0});
  ASSERT_EQ(walked.frames.size(), 4u);
  EXPECT_EQ(walked.frames[1].pc, kCode + 0x210);
  EXPECT_EQ(walked.frames[1].sp, At(2));
  EXPECT_EQ(walked.frames[1].fp, 7u);
  EXPECT_EQ(walked.frames[2].pc, kCode + 0x310);
  EXPECT_EQ(walked.frames[2].sp, At(6));
  EXPECT_EQ(walked.frames[2].fp, At(10));
  EXPECT_EQ(walked.frames[3].pc, kCode + 0x410);
  EXPECT_EQ(walked.frames[3].sp, At(12));
  EXPECT_EQ(walked.end, StepOutcome::kOutermost);
}

// A call can be the last instruction of its function: its return address then lies in the next
// function.
TEST_F(NativeCursorTest, AReturnAddressIsLookedUpOneByteBefore) {
  Add(0x100, FromSp(8));
  Add(0x200, Plain(CfaKind::kOutermost));
  Publish();
  stack_[0] = kCode + 0x200;
  stack_[1] = kCode + 0x150;
  const Walked walked = Walk({kCode + 0x100, At(0), 0, 0});
  ASSERT_EQ(walked.frames.size(), 3u);
  EXPECT_EQ(walked.frames[2].pc, kCode + 0x150);
  EXPECT_EQ(Walk({kCode + 0x200, At(0), 0, 0}).end, StepOutcome::kOutermost);
}

TEST_F(NativeCursorTest, LooksUpTheInterruptedPcUnderASignalFrame) {
  UnwindRule signal;
  signal.cfa = CfaKind::kAtRegister;
  signal.cfa_register = kStackPointerNumber;
  signal.cfa_offset = 16;
  signal.is_signal_frame = true;
  signal.return_address = {PlaceKind::kAtRegister, kStackPointerNumber, 24};
  signal.frame_pointer = {PlaceKind::kAtRegister, kStackPointerNumber, 32};
  Add(0x100, signal);
  Add(0x200, Plain(CfaKind::kOutermost));
  Publish();
  stack_[22] = At(2);  // the interrupted sp is lower: the handler ran on another stack
  stack_[23] = kCode + 0x200;
  stack_[24] = 99;
  const Walked walked = Walk({kCode + 0x100, At(20), 0, 0});
  ASSERT_EQ(walked.frames.size(), 2u);
  EXPECT_EQ(walked.frames[1].pc, kCode + 0x200);
  EXPECT_EQ(walked.frames[1].sp, At(2));
  EXPECT_EQ(walked.frames[1].fp, 99u);
  EXPECT_EQ(walked.end, StepOutcome::kOutermost);
}

TEST_F(NativeCursorTest, ACircleOfSignalFramesEnds) {
  UnwindRule signal = FromSp(0);
  signal.is_signal_frame = true;
  signal.return_address = {PlaceKind::kAtRegister, kStackPointerNumber, 0};
  Add(0x100, signal);
  Publish();
  stack_[0] = kCode + 0x100;
  EXPECT_EQ(Walk({kCode + 0x100, At(0), 0, 0}).end, StepOutcome::kTooManySignals);
}

TEST_F(NativeCursorTest, APltEntryIsOneWordDeeperAfterItsPush) {
  UnwindRule plt = FromSp(8);
  plt.cfa = CfaKind::kPltEntry;
  plt.cfa_detail = 11;
  Add(0x100, plt);
  Add(0x200, Plain(CfaKind::kOutermost));
  Publish();
  stack_[0] = kCode + 0x210;
  stack_[1] = kCode + 0x220;
  EXPECT_EQ(Walk({kCode + 0x10a, At(0), 0, 0}).frames.at(1).pc, kCode + 0x210);
  EXPECT_EQ(Walk({kCode + 0x10b, At(0), 0, 0}).frames.at(1).pc, kCode + 0x220);
}

TEST_F(NativeCursorTest, ARealignedFrameHasItsCfaInMemory) {
  UnwindRule rule = FromRegister(kFramePointerNumber, -8);
  rule.cfa = CfaKind::kAtRegister;
  rule.frame_pointer = {PlaceKind::kAtRegister, kFramePointerNumber, 0};
  Add(0x100, rule);
  Add(0x200, Plain(CfaKind::kOutermost));
  Publish();
  stack_[9] = At(20);
  stack_[10] = 77;
  stack_[19] = kCode + 0x210;
  const Walked walked = Walk({kCode + 0x100, At(0), At(10), 0});
  ASSERT_EQ(walked.frames.size(), 2u);
  EXPECT_EQ(walked.frames[1].sp, At(20));
  EXPECT_EQ(walked.frames[1].fp, 77u);
}

#if defined(__x86_64__)
TEST_F(NativeCursorTest, TheInterruptedFunctionCanKeepItsCfaInAnyRegister) {
  Add(0x100, FromRegister(10, 0));
  Add(0x200, FromRegister(10, 0));
  Publish();
  ucontext_t context = {};
  context.uc_mcontext.gregs[REG_R10] = static_cast<greg_t>(At(8));
  stack_[7] = kCode + 0x210;
  const Walked walked = Walk({kCode + 0x100, At(0), 0, 0}, &context);
  EXPECT_EQ(walked.frames.size(), 2u);
  EXPECT_EQ(walked.end, StepOutcome::kUnknownRegister);  // r10 is not preserved by calls
}
#endif

TEST_F(NativeCursorTest, EachFailureHasItsOutcome) {
  Add(0x100, FromSp(8));
  Add(0x200, Plain(CfaKind::kUnsupported));
  Add(0x300, FromSp(-8));
  Add(0x400, FromSp(1 << 30));
  Add(0x500, {});
  Publish();
  const auto end_at = [&](uint64_t offset) { return Walk({kCode + offset, At(4), 0, 0}).end; };
  EXPECT_EQ(end_at(0x200), StepOutcome::kUnsupportedRule);
  EXPECT_EQ(end_at(0x300), StepOutcome::kNoProgress);
  EXPECT_EQ(end_at(0x500), StepOutcome::kNoInformation);
  EXPECT_EQ(end_at(0), StepOutcome::kNoInformation);
  EXPECT_EQ(end_at(kCodeSize), StepOutcome::kNoInformation);
  EXPECT_EQ(end_at(0x100), StepOutcome::kOutermost);  // no return address
  EXPECT_EQ(Walk({kCode + 0x100, 0x1000, 0, 0}).end, StepOutcome::kUnreadable);
  EXPECT_EQ(Walk({kCode + 0x100, ~uint64_t{7}, 0, 0}).end, StepOutcome::kNoProgress);
}

TEST_F(NativeCursorTest, AFailedStepLeavesTheFrame) {
  Add(0x100, FromSp(16));
  Publish();
  StackMemory memory(0x1000, {}, LoadFaults::kFatal);
  NativeCursor cursor(code_.get(), &memory, {kCode + 0x100, 0x1000, 5, 6}, nullptr);
  EXPECT_EQ(cursor.Step(), StepOutcome::kUnreadable);
  EXPECT_EQ(cursor.registers().sp, 0x1000u);
  EXPECT_EQ(cursor.registers().fp, 5u);
  EXPECT_TRUE(cursor.is_interrupted());
}

TEST_F(NativeCursorTest, AFrameBeyondTheStackIsRefused) {
  Add(0x100, FromSp(4096));
  Publish();
  StepOutcome outcome = StepOutcome::kFrame;
  test::InSignal([&](void* ucontext) {
    // The bounds claim that the interrupted thread's stack ends 256 bytes above sp.
    const uint64_t sp = NativeRegistersOf(static_cast<ucontext_t*>(ucontext)).sp & ~uint64_t{15};
    const auto here = reinterpret_cast<uint64_t>(&outcome);
    StackMemory memory(sp, {here < sp ? here : sp - 4096, sp + 256}, LoadFaults::kFatal);
    NativeCursor cursor(code_.get(), &memory, {kCode + 0x100, sp, 0, 0}, nullptr);
    // On an alternate stack the bounds are not used, and nothing is tested.
    outcome = memory.MayHoldFrame(sp + 4096) ? StepOutcome::kOutsideStack : cursor.Step();
  });
  EXPECT_EQ(outcome, StepOutcome::kOutsideStack);
}

TEST_F(NativeCursorTest, ALeafWithoutInformationReturnsOnlyToCodeWithARule) {
  Add(0x100, FromSp(16));
  Publish();
  stack_[0] = kCode + 0x150;
  stack_[8] = At(20);  // the frame pointer's chain
  stack_[9] = kCode + 0x180;
  StackMemory memory(At(0), {}, LoadFaults::kFatal);
  const NativeRegisters start = {kCode + 0x10, At(0), At(8), kCode + 0x150};
  NativeCursor leaf(code_.get(), &memory, start, nullptr);
  EXPECT_EQ(leaf.Step(), StepOutcome::kNoInformation);
  EXPECT_EQ(leaf.StepWithoutRule(), StepOutcome::kFrame);
  EXPECT_EQ(leaf.registers().pc, kCode + 0x150);
  EXPECT_FALSE(leaf.is_interrupted());

  stack_[0] = 0x123456;
  StackMemory memory_now(At(0), {}, LoadFaults::kFatal);
  NativeCursor other(code_.get(), &memory_now, {start.pc, start.sp, start.fp, 0}, nullptr);
  EXPECT_EQ(other.StepWithoutRule(), StepOutcome::kFrame);
  EXPECT_EQ(other.registers().pc, kCode + 0x180);
  EXPECT_EQ(other.registers().sp, At(10));
}

TEST_F(NativeCursorTest, ANullFramePointerInCodeWithoutInformationIsNoRoot) {
  Publish();
  StackMemory memory(At(0), {}, LoadFaults::kFatal);
  NativeCursor cursor(code_.get(), &memory, {kCode + 0x10, At(0), 0, 0}, nullptr);
  EXPECT_EQ(cursor.StepWithoutRule(), StepOutcome::kNoInformation);
}

TEST_F(NativeCursorTest, FollowsFramePointersToTheEndOfTheirChain) {
  stack_[2] = At(8);
  stack_[3] = 0x1111;
  stack_[8] = At(20);
  stack_[9] = 0x2222;
  stack_[20] = 0;
  stack_[21] = 0x3333;
  std::vector<uint64_t> pcs(8);
  size_t count = 0;
  StepOutcome end = StepOutcome::kFrame;
  test::InSignal([&] {
    StackMemory memory(At(0), {}, LoadFaults::kFatal);
    NativeRegisters registers{0x1000, At(0), At(2), 0};
    while (end == StepOutcome::kFrame && count < pcs.size()) {
      pcs[count++] = registers.pc;
      end = StepByFramePointer(memory, &registers);
    }
  });
  pcs.resize(count);
  EXPECT_EQ(pcs, (std::vector<uint64_t>{0x1000, 0x1111, 0x2222, 0x3333}));
  EXPECT_EQ(end, StepOutcome::kOutermost);
}

TEST_F(NativeCursorTest, AFramePointerThatDoesNotLeadUpwardsEnds) {
  stack_[8] = At(4);
  stack_[9] = 0x1111;
  StackMemory memory(At(0), {}, LoadFaults::kFatal);
  NativeRegisters registers{0x1000, At(0), At(8), 0};
  EXPECT_EQ(StepByFramePointer(memory, &registers), StepOutcome::kFrame);
  EXPECT_EQ(StepByFramePointer(memory, &registers), StepOutcome::kNoProgress);
  NativeRegisters unaligned{0x1000, At(0), At(8) + 4, 0};
  EXPECT_EQ(StepByFramePointer(memory, &unaligned), StepOutcome::kNoProgress);
  NativeRegisters unmapped{0x1000, 0x1000, 0x2000, 0};
  EXPECT_EQ(StepByFramePointer(memory, &unmapped), StepOutcome::kUnreadable);
}

}  // namespace
}  // namespace jprof
