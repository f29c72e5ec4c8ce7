// Tests that a method is left unchanged, with a reason, if the class file has no room for its
// probes.
#include <gtest/gtest.h>

#include "instrument/probed_class.h"

namespace jprof {
namespace {

using instrument::NotProbed;

constexpr size_t kProbeBytes = 8 + 8 + 10;

std::optional<NotProbed> ReasonOf(const ClassBytes& class_file) {
  return ProbeAll(class_file).report.methods.at(0).not_probed;
}
std::optional<NotProbed> ReasonOf(uint16_t major, const MadeMethod& method) {
  return ReasonOf(ClassMaker(major).Add(method).Bytes());
}

TEST(LimitsTest, CodeOf64KilobytesIsTheLongest) {
  const auto nops = [](size_t count) { return ClassBytes(count, 0) + ClassBytes{kReturn}; };
  const size_t longest = 65535 - kProbeBytes - 1;
  EXPECT_EQ(ReasonOf(49, {kStatic, "f", "()V", 0, 0, nops(longest)}), std::nullopt);
  EXPECT_EQ(ReasonOf(49, {kStatic, "f", "()V", 0, 0, nops(longest + 1)}), NotProbed::kCodeTooLong);
}

TEST(LimitsTest, BranchOf32KilobytesIsTheLongest) {
  // goto over returns, each of which gets an exit probe of 8 bytes, and nops
  const auto jump = [](uint32_t returns, uint32_t nops) {
    return ClassBytes{0xA7} + Shorts({3 + returns + nops}) + ClassBytes(returns, kReturn) +
           ClassBytes(nops, 0) + ClassBytes{kReturn};
  };
  const uint32_t nops = 32767 - 3 - 9;
  EXPECT_EQ(ReasonOf(49, {kStatic, "f", "()V", 0, 0, jump(1, nops)}), std::nullopt);
  EXPECT_EQ(ReasonOf(49, {kStatic, "f", "()V", 0, 0, jump(1, nops + 1)}),
            NotProbed::kBranchTooLong);
}

TEST(LimitsTest, FullPoolLeavesTheMethodAlone) {
  // entries: 6 for the first probe, 4 for each of the others, 3 for the frame of the handler
  const auto with_room = [](uint32_t entries) {
    ClassMaker maker(52);
    maker.Add({kStatic, "f", "()V", 0, 0, {0, kReturn}});
    maker.FillPool(65535 - entries);
    return maker.Bytes();
  };
  for (uint32_t room = 0; room < 17; ++room) {
    EXPECT_EQ(ReasonOf(with_room(room)), NotProbed::kPoolFull) << room;
  }
  EXPECT_EQ(ReasonOf(with_room(17)), std::nullopt);
}

TEST(LimitsTest, TokenNeedsTwoLocals) {
  EXPECT_EQ(ReasonOf(52, {kStatic, "f", "()V", 0, 65533, {kReturn}}), std::nullopt);
  EXPECT_EQ(ReasonOf(52, {kStatic, "f", "()V", 0, 65534, {kReturn}}), NotProbed::kTooManyLocals);
}

TEST(LimitsTest, ProbesNeedThreeStackSlots) {
  EXPECT_EQ(ReasonOf(52, {kStatic, "f", "()V", 65532, 0, {kReturn}}), std::nullopt);
  EXPECT_EQ(ReasonOf(52, {kStatic, "f", "()V", 65533, 0, {kReturn}}), NotProbed::kStackTooDeep);
}

TEST(LimitsTest, HandlersAreAtMost65535) {
  const auto with_handlers = [](size_t count) {
    MadeMethod method{kStatic, "f", "()V", 1, 0, {0, kReturn, 0xBF}};
    method.handlers.assign(count, {0, 1, 2, 0});
    return method;
  };
  EXPECT_EQ(ReasonOf(49, with_handlers(65533)), std::nullopt);  // our handler covers nop and athrow
  EXPECT_EQ(ReasonOf(49, with_handlers(65534)), NotProbed::kTooManyHandlers);
}

// Each frame of 4 bytes would become a frame of more than 60,000 bytes.
TEST(LimitsTest, StackMapThatWouldGrowWithoutBoundsIsNotWritten) {
  constexpr uint32_t kFrames = 600;
  ClassBytes frames = Shorts({kFrames});
  for (uint32_t i = 0; i < kFrames; ++i) {
    frames = std::move(frames) + (i % 2 == 0 ? ClassBytes{252, 0, 0, 1} : ClassBytes{250, 0, 0});
  }
  const ClassBytes code = ClassBytes(kFrames, 0) + ClassBytes{kReturn};
  EXPECT_EQ(ReasonOf(52, {kStatic, "f", "()V", 1, 60000, code, {}, {{"StackMapTable", frames}}}),
            NotProbed::kStackMapTooLarge);
}

// The operand stack grows with every instruction, so the work grows with the square of the code.
TEST(LimitsTest, TheAnalysisOfAConstructorIsBounded) {
  const MadeMethod method{1,     "<init>", "()V",
                          60000, 1,        ClassBytes(40000, 1) + ClassBytes{0xBF}};  // aconst_null
  EXPECT_EQ(ReasonOf(52, method), NotProbed::kTooComplex);
}

}  // namespace
}  // namespace jprof
