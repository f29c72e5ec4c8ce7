// Tests frame entries of x86-64 that are made by hand.
#include "sigsafe/native/frame_program.h"

#include <gtest/gtest.h>

#include "sigsafe/native/frame_maker.h"
#include "sigsafe/native/native_registers.h"
#include "unwind/frame_section.h"

namespace jprof {
namespace {

using test::Bytes;
using test::FrameMaker;
using test::Joined;
using test::Uleb;

constexpr uint64_t kBegin = 0x401000;
constexpr uint64_t kSize = 0x100;
const Bytes kUsual = {0x0c, 7, 8, 0x90, 1};  // CFA = rsp + 8, return address at CFA - 8

std::vector<RuleStart> RulesOf(const FunctionFrame& function) {
  std::vector<RuleStart> starts;
  FrameProgram program(function);
  for (RuleStart start; program.Next(&start);) starts.push_back(start);
  return starts;
}

class FrameProgramTest : public testing::Test {
 protected:
  // Returns the rules of a function with these instructions.
  std::vector<RuleStart> Run(const Bytes& instructions, const Bytes& common = kUsual,
                             const char* augmentation = "zR") {
    FrameMaker maker;
    const uint64_t cie = maker.AddCommon(augmentation, common);
    const uint64_t entry = maker.AddFunction(cie, kBegin, kSize, instructions);
    FrameSection section(maker.bytes, 0x900000, FrameFormat::kEhFrame);
    const std::optional<FunctionFrame> function = section.FunctionAt(entry);
    EXPECT_TRUE(function.has_value());
    return function ? RulesOf(*function) : std::vector<RuleStart>();
  }

  static UnwindRule RuleAt(const std::vector<RuleStart>& starts, uint64_t offset) {
    UnwindRule rule;
    for (const RuleStart& start : starts) {
      if (start.address <= kBegin + offset) rule = start.rule;
    }
    return rule;
  }
};

TEST_F(FrameProgramTest, FollowsAPrologueAndAnEpilogue) {
  const auto starts = Run({0x41, 0x0e, 16, 0x86, 2,         // push rbp
                           0x43, 0x0d, 6,                   // mov rbp, rsp
                           0x02, 0x80, 0x0c, 7, 8, 0xc6});  // pop; ret
  ASSERT_EQ(starts.size(), 4u);
  EXPECT_EQ(starts[0].address, kBegin);
  EXPECT_EQ(starts[0].rule.cfa_register, 7);
  EXPECT_EQ(starts[0].rule.cfa_offset, 8);
  EXPECT_EQ(starts[0].rule.return_address, (Place{PlaceKind::kAtCfa, 0, -8}));
  EXPECT_EQ(starts[0].rule.frame_pointer, Place());
  EXPECT_EQ(starts[1].address, kBegin + 1);
  EXPECT_EQ(starts[1].rule.cfa_offset, 16);
  EXPECT_EQ(starts[1].rule.frame_pointer, (Place{PlaceKind::kAtCfa, 0, -16}));
  EXPECT_EQ(starts[2].address, kBegin + 4);
  EXPECT_EQ(starts[2].rule.cfa_register, 6);
  EXPECT_EQ(starts[3].address, kBegin + 0x84);
  EXPECT_EQ(starts[3].rule, starts[0].rule);
}

TEST_F(FrameProgramTest, RememberedStatesAreAStack) {
  const auto starts = Run({0x0e, 16, 0x0a, 0x41, 0x0e, 24, 0x0a, 0x41, 0x0e, 32,  // deeper
                           0x41, 0x0b, 0x41, 0x0b});
  EXPECT_EQ(RuleAt(starts, 0).cfa_offset, 16);
  EXPECT_EQ(RuleAt(starts, 1).cfa_offset, 24);
  EXPECT_EQ(RuleAt(starts, 2).cfa_offset, 32);
  EXPECT_EQ(RuleAt(starts, 3).cfa_offset, 24);
  EXPECT_EQ(RuleAt(starts, 4).cfa_offset, 16);
}

TEST_F(FrameProgramTest, MoreRememberedStatesThanAnyCompilerMakesAreUnsupported) {
  EXPECT_EQ(RuleAt(Run(Bytes(4, 0x0a)), 0).cfa, CfaKind::kRegister);
  EXPECT_EQ(RuleAt(Run(Bytes(5, 0x0a)), 0).cfa, CfaKind::kUnsupported);
}

TEST_F(FrameProgramTest, EveryWayToAdvanceIsUnderstood) {
  const auto starts =
      Run({0x01, 0x08, 0x10, 0x40, 0,    0, 0, 0,    0,  0x0e, 16,  // set_loc
           0x02, 8,    0x0e, 24,   0x03, 8, 0, 0x0e, 32, 0x04, 8,  0, 0, 0, 0x0e, 40});
  EXPECT_EQ(RuleAt(starts, 0x07).cfa_offset, 8);
  EXPECT_EQ(RuleAt(starts, 0x08).cfa_offset, 16);
  EXPECT_EQ(RuleAt(starts, 0x10).cfa_offset, 24);
  EXPECT_EQ(RuleAt(starts, 0x18).cfa_offset, 32);
  EXPECT_EQ(RuleAt(starts, 0x20).cfa_offset, 40);
}

TEST_F(FrameProgramTest, KnowsThePlacesOfRegisters) {
  EXPECT_EQ(RuleAt(Run({0x05, 6, 3}), 0).frame_pointer, (Place{PlaceKind::kAtCfa, 0, -24}));
  EXPECT_EQ(RuleAt(Run({0x11, 6, 0x7f}), 0).frame_pointer, (Place{PlaceKind::kAtCfa, 0, 8}));
  EXPECT_EQ(RuleAt(Run({0x2f, 6, 2}), 0).frame_pointer, (Place{PlaceKind::kAtCfa, 0, 16}));
  EXPECT_EQ(RuleAt(Run({0x14, 6, 2}), 0).frame_pointer, (Place{PlaceKind::kCfaPlus, 0, -16}));
  EXPECT_EQ(RuleAt(Run({0x09, 6, 12}), 0).frame_pointer, (Place{PlaceKind::kInRegister, 12, 0}));
  EXPECT_EQ(RuleAt(Run({0x07, 6}), 0).frame_pointer.kind, PlaceKind::kUndefined);
  EXPECT_EQ(RuleAt(Run({0x86, 2, 0x08, 6}), 0).frame_pointer, Place());
  EXPECT_EQ(RuleAt(Run({0x86, 2, 0x06, 6}), 0).frame_pointer, Place());
  EXPECT_EQ(RuleAt(Run({0x83, 2}), 0).saved, (Place{PlaceKind::kAtCfa, 0, -16}));
  EXPECT_EQ(RuleAt(Run({0x10, 6, 2, 0x76, 0}), 0).frame_pointer,  // breg6 + 0
            (Place{PlaceKind::kAtRegister, 6, 0}));
  EXPECT_EQ(RuleAt(Run({0x16, 6, 2, 0x76, 0}), 0).frame_pointer.kind, PlaceKind::kNotCompiled);
  EXPECT_EQ(RuleAt(Run({0x2e, 0x20, 0x0e, 16}), 0).cfa_offset, 16);  // arguments' size
}

TEST_F(FrameProgramTest, AFunctionWithoutACallerIsOutermost) {
  const auto starts = Run({0x07, 16});
  ASSERT_EQ(starts.size(), 1u);
  EXPECT_EQ(starts[0].rule.cfa, CfaKind::kOutermost);
}

TEST_F(FrameProgramTest, ThePltExpressionOfTheLinkersIsKnown) {
  const Bytes expression = {0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
  const auto starts = Run(Joined({{0x0f}, Uleb(expression.size()), expression}));
  EXPECT_EQ(starts[0].rule.cfa, CfaKind::kPltEntry);
  EXPECT_EQ(starts[0].rule.cfa_register, 7);
  EXPECT_EQ(starts[0].rule.cfa_offset, 8);
  EXPECT_EQ(starts[0].rule.cfa_detail, 11);
}

TEST_F(FrameProgramTest, ExpressionsThatReadAWordAreKnown) {
  const auto realigned = Run({0x0f, 3, 0x76, 0x78, 0x06});  // *(rbp - 8)
  EXPECT_EQ(realigned[0].rule.cfa, CfaKind::kAtRegister);
  EXPECT_EQ(realigned[0].rule.cfa_offset, -8);
  EXPECT_EQ(realigned[0].rule.cfa_detail, 0);
  const auto plus = Run({0x0f, 6, 0x77, 0xb8, 0x01, 0x06, 0x23, 8});  // *(rsp + 184) + 8
  EXPECT_EQ(plus[0].rule.cfa, CfaKind::kAtRegister);
  EXPECT_EQ(plus[0].rule.cfa_offset, 184);
  EXPECT_EQ(plus[0].rule.cfa_detail, 8);
}

TEST_F(FrameProgramTest, AnyOtherExpressionIsUnsupported) {
  EXPECT_EQ(Run({0x0f, 2, 0x31, 0x32})[0].rule.cfa, CfaKind::kUnsupported);
  EXPECT_EQ(Run({0x0f, 4, 0x77, 8, 0x06, 0x06})[0].rule.cfa, CfaKind::kUnsupported);
  EXPECT_EQ(Run({0x0f, 0})[0].rule.cfa, CfaKind::kUnsupported);
}

// The longjmp of glibc has these rules: CFA = rdi, rsp in r8, the return address in rdx.
TEST_F(FrameProgramTest, ARuleForTheStackPointerReplacesTheCfa) {
  const auto starts = Run({0x0c, 5, 0, 0x09, 7, 8, 0x09, 6, 9, 0x09, 16, 1, 0x11, 3, 0x7e});
  const UnwindRule& rule = starts[0].rule;
  EXPECT_EQ(rule.cfa, CfaKind::kRegister);
  EXPECT_EQ(rule.cfa_register, 8);
  EXPECT_EQ(rule.cfa_offset, 0);
  EXPECT_EQ(rule.return_address, (Place{PlaceKind::kInRegister, 1, 0}));
  EXPECT_EQ(rule.saved, (Place{PlaceKind::kAtRegister, 5, 16}));
}

TEST_F(FrameProgramTest, ASignalFrameIsMarked) {
  EXPECT_TRUE(Run({}, kUsual, "zRS")[0].rule.is_signal_frame);
  EXPECT_FALSE(Run({})[0].rule.is_signal_frame);
}

TEST_F(FrameProgramTest, AnUnknownInstructionInvalidatesOnlyTheRest) {
  const auto starts = Run({0x41, 0x0e, 16, 0x41, 0x3e, 0x41, 0x0e, 24});  // 3e is no instruction
  EXPECT_EQ(RuleAt(starts, 1).cfa_offset, 16);
  EXPECT_EQ(RuleAt(starts, 2).cfa, CfaKind::kUnsupported);
  EXPECT_EQ(RuleAt(starts, kSize - 1).cfa, CfaKind::kUnsupported);
  EXPECT_EQ(Run({0x0b})[0].rule.cfa, CfaKind::kUnsupported);  // no state was remembered
  EXPECT_EQ(Run({0x0e})[0].rule.cfa_offset, 0);               // a padding nop is the operand
  EXPECT_EQ(Run({}, {})[0].rule.cfa, CfaKind::kUnsupported);  // no CFA was ever defined
}

TEST_F(FrameProgramTest, LeavesOutRulesAfterTheFunction) {
  const auto starts = Run({0x03, 0, 2, 0x0e, 16});
  for (const RuleStart& start : starts) EXPECT_LT(start.address, kBegin + kSize);
}

TEST(FrameSectionTest, BothFormatsAndVersionsAreRead) {
  for (const uint8_t version : {1, 3, 4}) {
    FrameMaker maker(true);
    maker.AddCommon("", kUsual, 16, version);
    const uint64_t common = maker.AddCommon("", {0x0c, 7, 8, 0x90, 1}, 16, version);
    const uint64_t entry = maker.AddFunction(common, kBegin, kSize, {0x41, 0x0e, 16}, false);
    FrameSection section(maker.bytes, 0, FrameFormat::kDebugFrame);
    const std::optional<FunctionFrame> function = section.FunctionAt(entry);
    ASSERT_TRUE(function.has_value()) << int{version};
    EXPECT_EQ(function->begin, kBegin);
    EXPECT_EQ(function->end, kBegin + kSize);
    EXPECT_EQ(RulesOf(*function).size(), 2u);
    EXPECT_FALSE(section.FunctionAt(common).has_value());
  }
}

TEST(FrameSectionTest, AnUnknownAugmentationIsNoFunction) {
  FrameMaker maker;
  const uint64_t common = maker.AddCommon("eh", kUsual);
  const uint64_t entry = maker.AddFunction(common, kBegin, kSize, {});
  FrameSection section(maker.bytes, 0x900000, FrameFormat::kEhFrame);
  EXPECT_FALSE(section.FunctionAt(entry).has_value());
}

TEST(FrameSectionTest, ReadsATruncatedSectionWithoutLeavingIt) {
  FrameMaker maker;
  const uint64_t common = maker.AddCommon("zR", kUsual);
  maker.AddFunction(common, kBegin, kSize, {0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6});
  for (size_t size = 0; size <= maker.bytes.size(); ++size) {
    const Bytes cut(maker.bytes.begin(), maker.bytes.begin() + static_cast<long>(size));
    FrameSection section(cut, 0x900000, FrameFormat::kEhFrame);
    std::optional<uint64_t> offset = 0;
    while (offset) {
      if (const auto function = section.FunctionAt(*offset)) RulesOf(*function);
      offset = section.Next(*offset);
    }
  }
}

}  // namespace
}  // namespace jprof
