#include "sigsafe/stack/walk_start.h"

#include "sigsafe/stack/vm_walk_test.h"

namespace jprof::test {
namespace {

// Lays out a frame of the compiled method below word 304, called from the entry frame.
class WalkStartTest : public VmWalkTest {
 protected:
  WalkStartTest() { CalledFromEntry(304); }

  uint64_t sp() const { return vm_.StackAddress(300); }

  WalkStart start_{};
};

TEST_F(WalkStartTest, AtASignalHasAllRegistersAndTheStack) {
  const ucontext_t interrupted = Interrupted(compiled_ + 50, 300, 7);
  ASSERT_TRUE(StartAtSignal(vm_.layout(), vm_.java_thread(), &interrupted, &start_));
  EXPECT_EQ(start_.java_thread, vm_.java_thread());
  EXPECT_EQ(start_.stack.low, vm_.StackAddress(0));
  EXPECT_EQ(start_.stack.high, vm_.StackAddress(FakeVm::kStackWords));
  EXPECT_EQ(start_.position.pc, compiled_ + 50);
  EXPECT_EQ(start_.position.sp, sp());
  EXPECT_EQ(start_.position.fp, 7u);
  EXPECT_EQ(start_.position.meaning, PcMeaning::kNext);
  EXPECT_EQ(start_.interrupted, &interrupted);
  EXPECT_EQ(WalkFrom(start_), "c2:a0:3 root");
}

TEST_F(WalkStartTest, AtAnAnchorIsTheInnermostJavaFrame) {
  vm_.SetAnchor(sp(), compiled_ + 50, 0);
  ASSERT_TRUE(StartAtAnchor(vm_.layout(), vm_.java_thread(), &start_));
  EXPECT_EQ(start_.interrupted, nullptr);
  EXPECT_EQ(WalkFrom(start_), "c2:a0:3 root");
}

TEST_F(WalkStartTest, TakesThePcFromTheStackIfTheAnchorHasNone) {
  vm_.SetAnchor(sp(), 0, 0);
  vm_.Stack(299) = compiled_ + 50;
  ASSERT_TRUE(StartAtAnchor(vm_.layout(), vm_.java_thread(), &start_));
  EXPECT_EQ(WalkFrom(start_), "c2:a0:3 root");
}

TEST_F(WalkStartTest, RefusesAnAnchorThatIsNoJavaFrame) {
  EXPECT_FALSE(StartAtAnchor(vm_.layout(), vm_.java_thread(), &start_));
  vm_.SetAnchor(sp(), NativeCode(), 0);
  EXPECT_FALSE(StartAtAnchor(vm_.layout(), vm_.java_thread(), &start_));
  vm_.SetAnchor(vm_.StackAddress(FakeVm::kStackWords), compiled_ + 50, 0);
  EXPECT_FALSE(StartAtAnchor(vm_.layout(), vm_.java_thread(), &start_));
}

TEST_F(WalkStartTest, AcceptsAReturnAddressOrInterruptedCode) {
  for (const PcMeaning meaning : {PcMeaning::kReturn, PcMeaning::kNext}) {
    ASSERT_TRUE(StartAtRegisters(vm_.layout(), vm_.java_thread(),
                                 {compiled_ + 50, sp(), 0, meaning}, &start_));
    EXPECT_EQ(start_.interrupted, nullptr);
    EXPECT_EQ(WalkFrom(start_), "c2:a0:3 root");
  }
}

// The adapter has no frame. If all other registers are unknown, the walk searches the stack for the
// return address.
TEST_F(WalkStartTest, LeavesAStubByItsStackIfItsRegistersAreUnknown) {
  const uint64_t adapter = vm_.AddStub("I2C/C2I adapters", 0, Code({}));
  vm_.Stack(299) = compiled_ + 50;
  ASSERT_TRUE(StartAtRegisters(vm_.layout(), vm_.java_thread(),
                               {adapter + 30, vm_.StackAddress(299), 0x1234, PcMeaning::kNext},
                               &start_));
  EXPECT_EQ(WalkFrom(start_), "stub c2:a0:3 root");
}

}  // namespace
}  // namespace jprof::test
