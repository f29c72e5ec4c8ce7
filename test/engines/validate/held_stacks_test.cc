#include "engines/validate/held_stacks.h"

#include <gtest/gtest.h>
#include <jvmticmlr.h>

#include <array>

namespace jprof {
namespace {

constexpr uint64_t kBegin = 0x1000;
constexpr Nanos kNow = kNanosPerSecond;

// Stacks of one compiled frame, whose debug information says a bytecode index.
class HeldStacksTest : public testing::Test {
 protected:
  // The JVM reports new code of 64 bytes at kBegin, with this index at offset 32.
  void Report(jint bci) {
    auto* method = reinterpret_cast<jmethodID>(1);
    PCStackInfo place = {reinterpret_cast<void*>(kBegin + 32), 1, &method, &bci};
    jvmtiCompiledMethodLoadInlineRecord record = {};
    record.header.kind = JVMTI_CMLR_INLINE_INFO;
    record.numpcs = 1;
    record.pcinfo = &place;
    code_.OnCompiledMethodLoad(nullptr, method, 64, reinterpret_cast<void*>(kBegin), 0, nullptr,
                               &record);
  }

  // An equal stack, whose index was walked as `bci`.
  static JudgedStack EqualAt(int32_t bci) {
    return {{Layer::kSignal, JudgedWalker::kOurs, Tier::kC2, Verdict::kEqual},
            {{.number = 1, .bci = bci, .is_compiled = true}},
            {{1, -1}},
            {.pc = kBegin + 32, .java_pc = kBegin + 32}};
  }

  // Returns the verdicts of the stacks that can be judged.
  std::vector<Verdict> Judged(Nanos now_ns, bool is_last = false) {
    std::vector<Verdict> verdicts;
    held_.JudgeAll(now_ns, is_last,
                   [&](const JudgedStack& stack) { verdicts.push_back(stack.key.verdict); });
    return verdicts;
  }

  CompiledCode code_;
  ProbedMethods methods_;
  HeldStacks held_{code_, methods_};
};

TEST_F(HeldStacksTest, AnIndexThatTheInformationSaysIsNotHeld) {
  JudgedStack unknown = EqualAt(7);
  EXPECT_FALSE(held_.AddIfIndexesDiffer(unknown, kNow)) << "nothing says another index";
  Report(7);
  JudgedStack equal = EqualAt(7);
  EXPECT_FALSE(held_.AddIfIndexesDiffer(equal, kNow));
  EXPECT_EQ(equal.walked.size(), 1u) << "the caller still has the stack";
}

// The walker has read the information of new code, of which the JVM has not reported anything yet.
TEST_F(HeldStacksTest, InformationOfOlderCodeAtTheAddressMakesNoError) {
  Report(3);
  JudgedStack stack = EqualAt(7);
  ASSERT_TRUE(held_.AddIfIndexesDiffer(stack, kNow));
  EXPECT_TRUE(Judged(kNow + 1).empty());
  Report(7);
  EXPECT_EQ(Judged(kNow + 2), std::vector{Verdict::kEqual});
  EXPECT_TRUE(Judged(kNow + 3, true).empty()) << "a stack is judged once";
}

TEST_F(HeldStacksTest, AnIndexThatNoInformationSaysIsWrongAfterAWhile) {
  Report(3);
  JudgedStack stack = EqualAt(7);
  ASSERT_TRUE(held_.AddIfIndexesDiffer(stack, kNow));
  Report(4);
  EXPECT_TRUE(Judged(kNow + HeldStacks::kPatience - 1).empty());
  EXPECT_EQ(Judged(kNow + HeldStacks::kPatience), std::vector{Verdict::kWrongIndex});
  JudgedStack last = EqualAt(7);
  ASSERT_TRUE(held_.AddIfIndexesDiffer(last, kNow));
  EXPECT_EQ(Judged(kNow, true), std::vector{Verdict::kWrongIndex});
}

TEST_F(HeldStacksTest, ADifferenceThatTheInformationDoesNotExplainKeepsItsVerdict) {
  JudgedStack stack = EqualAt(7);
  stack.key.verdict = Verdict::kMissing;
  held_.AddConfined(stack, kNow);
  EXPECT_TRUE(Judged(kNow + 1).empty()) << "the code is not known";
  Report(3);
  EXPECT_TRUE(Judged(kNow + 2).empty()) << "the information can be that of older code";
  EXPECT_EQ(Judged(kNow + HeldStacks::kPatience), std::vector{Verdict::kMissing});
}

}  // namespace
}  // namespace jprof
