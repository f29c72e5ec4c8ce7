#include "sigsafe/stack/stub_steps.h"

#include "sigsafe/hotspot/frame_shape.h"
#include "sigsafe/stack/vm_walk_test.h"

namespace jprof::test {
namespace {

const std::vector<uint8_t> kEnter = {0x55, 0x48, 0x8b, 0xec};  // push %rbp; mov %rsp, %rbp

// Lays out a compiled method's frame, which ends below word 104. Tests store the return address of
// the method's callee in word 99.
class StubStepsTest : public VmWalkTest {
 protected:
  void SetUp() override {
    VmWalkTest::SetUp();
    CalledFromEntry(104);
  }

  // Has the call that returns to `pc` call `target`.
  static void CallAt(uint64_t pc, uint64_t target) {
    const auto distance = static_cast<int32_t>(target - pc);
    memcpy(reinterpret_cast<void*>(pc - sizeof distance), &distance, sizeof distance);
  }
};

TEST_F(StubStepsTest, LeavesAFramedStubByItsFramePointer) {
  const uint64_t stub = vm_.AddStub("monitorenter Runtime1 stub", 40, Code(kEnter));
  vm_.Stack(99) = compiled_ + 50;
  vm_.Stack(98) = vm_.StackAddress(kEntry);
  for (const size_t sp : {98u, 90u, 70u}) {
    // A return address from an earlier call, to which the declared frame size would lead.
    vm_.Stack(sp + 39) = compiled_ + 50;
    EXPECT_EQ(Walk(stub + 30, sp, vm_.StackAddress(98)), "stub c2:a0:3 root") << sp;
  }
}

TEST_F(StubStepsTest, AStubThatForwardsAnExceptionReturnsToTheHandler) {
  const uint64_t stub = vm_.AddStub("forward_exception Runtime1 stub", 40, Code(kEnter));
  vm_.Stack(99) = compiled_ + 40;
  vm_.Stack(98) = vm_.StackAddress(kEntry);
  EXPECT_EQ(Walk(stub + 30, 70, vm_.StackAddress(98)), "stub c2:a0:3 root");
}

// C1's stub forward_exception runs in the frame of the stub that has jumped to it. A return address
// from an earlier call is in a word that this stub has not written.
TEST_F(StubStepsTest, AStubThatForwardsAnExceptionHasTheFrameOfAnotherStub) {
  std::vector<uint8_t> code = Code({});
  code[200] = 0xc3;
  const uint64_t stub = vm_.AddStub("forward_exception Runtime1 stub", 40, code);
  vm_.Stack(99) = compiled_ + 40;
  vm_.Stack(98) = vm_.StackAddress(kEntry);
  vm_.Stack(80) = vm_.Stack(84) = compiled_ + 50;
  EXPECT_EQ(Walk(stub + 30, 70, vm_.StackAddress(98)), "stub c2:a0:3 root");
  EXPECT_EQ(Walk(stub + 200, 99, vm_.StackAddress(kEntry)), "stub c2:a0:3 root");
}

// Before, the return address is on top of the stack or above registers that the stub has pushed.
TEST_F(StubStepsTest, AStubThatSetsUpItsFrameLaterReturnsToTheCallThatHasItsEntry) {
  std::vector<uint8_t> code = Code({0x57, 0x53});  // push %rdi; push %rbx
  const std::vector<uint8_t> enter = {0x5b, 0x5f, 0xc3, 0x55, 0x48, 0x8b, 0xec};
  std::ranges::copy(enter, code.begin() + 100);  // pop %rbx; pop %rdi; ret; push %rbp; mov
  const uint64_t stub = vm_.AddStub("new_instance Runtime1 stub", 40, code);
  CallAt(compiled_ + 50, stub);
  vm_.Stack(99) = compiled_ + 50;
  vm_.Stack(97) = vm_.layout().call_stub_return;
  CalledFromEntry(104);
  for (const size_t end : {137u, 138u}) {  // where the frame would end
    vm_.Stack(end) = vm_.Stack(end + 4) = compiled_ + 50;
  }
  for (const auto& [at, sp] :
       {std::pair(0, 99), {1, 98}, {2, 97}, {80, 97}, {101, 98}, {103, 99}}) {
    EXPECT_EQ(
        Walk(stub + static_cast<uint64_t>(at), static_cast<size_t>(sp), vm_.StackAddress(kEntry)),
        "stub c2:a0:3 root")
        << at;
  }
}

// The stub handle_exception_from_callee pops the address of the handler, and jumps to it.
TEST_F(StubStepsTest, AStubJumpsToTheHandlerOfAnException) {
  std::vector<uint8_t> code = Code(kEnter);
  code[100] = 0x59;  // pop %rcx
  code[101] = 0xff;  // jmp *%rcx
  code[102] = 0xe1;
  const uint64_t stub = vm_.AddStub("handle_exception_from_callee Runtime1 stub", 40, code);
  vm_.Stack(99) = compiled_ + 40;
  EXPECT_EQ(Walk(stub + 100, 99, vm_.StackAddress(kEntry)), "stub c2:a0:3 root");
  vm_.Stack(99) = 0;
  rcx_ = compiled_ + 40;
  EXPECT_EQ(Walk(stub + 101, 100, vm_.StackAddress(kEntry)), "stub c2:a0:3 root");
}

TEST_F(StubStepsTest, AStubWithoutAFrameIgnoresAnInterpretedFramePointer) {
  constexpr size_t kFp = 120;
  InterpretedFromEntry(kFp);
  CalledFromInterpreted(104, kFp);
  vm_.Stack(99) = compiled_ + 50;
  const uint64_t stub = vm_.AddStub("StubRoutines (1)", 0, Code({}));
  EXPECT_EQ(Walk(stub + 30, 96, vm_.StackAddress(kFp)), "stub c2:a0:3 interpreted:c0:4 root");
}

// The stub has lowered its stack pointer by words that it has not written. One of them is a return
// address from an earlier call.
TEST_F(StubStepsTest, AStubAmongOthersReturnsToTheCallThatHasItsEntry) {
  constexpr uint64_t kOffset = 64;
  std::vector<uint8_t> code = Code({});
  std::copy(kEnter.begin(), kEnter.end(), code.begin() + kOffset);
  const uint64_t stubs = vm_.AddStub("StubRoutines (2)", 0, code);
  CallAt(compiled_ + 50, stubs + kOffset);
  vm_.Stack(99) = compiled_ + 50;
  vm_.Stack(98) = vm_.StackAddress(kEntry);
  vm_.Stack(95) = compiled_ + 50;
  EXPECT_EQ(Walk(stubs + kOffset + 30, 95, vm_.StackAddress(98)), "stub c2:a0:3 root");
  r13_ = vm_.StackAddress(95);
  EXPECT_EQ(Walk(stubs + kOffset + 30, 95, vm_.StackAddress(98)), "stub c2:a0:3 root")
      << "the register has a value of other code";
  EXPECT_EQ(Walk(stubs + kOffset - 10, 99, vm_.StackAddress(98)), "stub c2:a0:3 root")
      << "a call to a stub at higher addresses";
  EXPECT_EQ(Walk(stubs + kOffset - 10, 95, vm_.StackAddress(98)), "stub c2:a0:3 root")
      << "the stub that was called has jumped to one at lower addresses";
  vm_.Stack(94) = vm_.StackAddress(97);
  vm_.Stack(97) = vm_.StackAddress(kEntry);
  vm_.Stack(98) = compiled_ + 50;
  CalledFromEntry(104);
  EXPECT_EQ(Walk(stubs + kOffset + 1, 94, vm_.StackAddress(97)), "stub c2:a0:3 c2:a0:3 root")
      << "the stub has pushed the frame pointer";
}

TEST_F(StubStepsTest, TheEntryBarrierHasItsReturnAddressAboveACookie) {
  const uint64_t stub = vm_.AddStub("StubRoutines (1)", 0, Code({}));
  vm_.Stack(99) = compiled_ + 50;
  vm_.Stack(98) = UINT64_MAX;
  vm_.Stack(97) = vm_.StackAddress(kEntry);
  EXPECT_EQ(Walk(stub + 30, 60, vm_.StackAddress(97)), "stub c2:a0:3 root");
  EXPECT_EQ(Walk(stub + 30, 98, vm_.StackAddress(kEntry)), "stub c2:a0:3 root");
  // The barrier has made room for registers, and has not saved them yet. The first word is a return
  // address from an earlier call.
  vm_.Stack(91) = vm_.Stack(95) = compiled_ + 50;
  EXPECT_EQ(Walk(stub + 30, 91, vm_.StackAddress(97)), "stub c2:a0:3 root");
}

TEST_F(StubStepsTest, AnAdapterThatIsEnteredHasItsReturnAddressInARegister) {
  const uint64_t adapter = vm_.AddStub("I2C/C2I adapters", 0, Code({}));
  rax_ = compiled_ + 50;
  r13_ = vm_.StackAddress(100);
  EXPECT_EQ(Walk(adapter + 30, 80, 0x1234), "stub c2:a0:3 root");
}

// The adapter has saved registers for a call of the VM, and %r13 has a value from an earlier call.
TEST_F(StubStepsTest, AnAdapterThatHasSavedRegistersReturnsToTheFirstCallerAboveThem) {
  std::vector<uint8_t> code = Code({});
  const std::vector<uint8_t> note = {0x4c, 0x8b, 0xec};
  std::copy(note.begin(), note.end(), code.begin() + 40);
  const uint64_t adapter = vm_.AddStub("I2C/C2I adapters", 0, code);
  CalledFromEntry(104);
  for (size_t i = 80; i < 95; ++i) vm_.Stack(i) = 0x1234;
  vm_.Stack(95) = compiled_ + 50;
  vm_.Stack(99) = compiled_ + 50;
  rax_ = compiled_ + 50;
  r13_ = vm_.StackAddress(100);
  EXPECT_EQ(Walk(adapter + 30, 80, 0x1234), "stub c2:a0:3 c2:a0:3 root");
  r13_ = vm_.StackAddress(95);
  EXPECT_EQ(Walk(adapter + 30, 40, 0x1234), "stub c2:a0:3 c2:a0:3 root")
      << "%r13 points to the return address, far above";
}

// The word on top of the stack is a return address that is left from an earlier call.
TEST_F(StubStepsTest, AnAdapterThatHasTakenItsReturnAddressIsNotLeftByTheTopOfTheStack) {
  const uint64_t adapter = vm_.AddStub("I2C/C2I adapters", 0, Code({}));
  CalledFromEntry(104);
  rax_ = compiled_ + 50;
  r13_ = vm_.StackAddress(96);
  vm_.Stack(99) = compiled_ + 50;
  FakeVm::Nmethod earlier;
  earlier.method = vm_.AddMethod(0xB0, 1);
  earlier.frame_size = 8;
  earlier.code = Code({});
  earlier.places = {{50, {{earlier.method, 3}}}};
  vm_.Stack(96) = vm_.AddNmethod(earlier) + 50;
  PutCode(vm_.Stack(96) - 5, {0xe8, 0, 0, 0, 0});
  EXPECT_EQ(Walk(adapter + 30, 96, 0x1234), "stub c2:a0:3 c2:a0:3 root");
}

// Until the adapter sets %r13, it has a value from an earlier call: a step by it would leave out
// the caller.
TEST_F(StubStepsTest, AnAdapterReturnsToTheTopOfTheStackBeforeItSetsR13) {
  vm_.Stack(95) = compiled_ + 50;
  vm_.Stack(99) = compiled_ + 50;
  r13_ = vm_.StackAddress(100);
  for (const std::vector<uint8_t>& note :
       {std::vector<uint8_t>{0x4c, 0x8d, 0x6c, 0x24, 0x08}, std::vector<uint8_t>{0x4c, 0x8b, 0xec},
        std::vector<uint8_t>{0x49, 0x89, 0xe5}}) {
    std::vector<uint8_t> code = Code({});
    std::copy(note.begin(), note.end(), code.begin() + 40);
    const uint64_t adapter = vm_.AddStub("I2C/C2I adapters", 0, code);
    EXPECT_EQ(Walk(adapter + 30, 95, 0x1234), "stub c2:a0:3 c2:a0:3 root");
    EXPECT_EQ(Walk(adapter + 46, 95, 0x1234), "stub c2:a0:3 root")
        << "the words up to the sender are the adapter's own";
  }
  const uint64_t barrier = vm_.AddStub("StubRoutines (1)", 0, Code({}));
  EXPECT_EQ(Walk(barrier + 30, 95, 0x1234), "stub c2:a0:3 c2:a0:3 root");
}

TEST_F(StubStepsTest, AnAdapterThatCallsTheVmHasSavedAllRegisters) {
  constexpr size_t kVectorWords = 20;
  const std::vector<uint8_t> code = Code({0xc5, 0xf8, 0x77, 0x48, 0x0f, 0xae, 0x0c, 0x24, 0x48,
                                          0x81, 0xc4, kVectorWords * 8, 0, 0, 0});
  StackPosition position{vm_.AddStub("I2C/C2I adapters", 0, code),
                         vm_.StackAddress(99 - 18 - kVectorWords), vm_.StackAddress(kEntry),
                         PcMeaning::kReturn};
  const WalkContext context{vm_.layout(),
                            jprof::NativeCode::OfProcess(),
                            StackMode::kVm,
                            vm_.java_thread(),
                            {vm_.StackAddress(0), vm_.StackAddress(FakeVm::kStackWords)}};
  vm_.Stack(99 - 3) = compiled_ + 50;  // a saved register
  vm_.Stack(99) = compiled_ + 50;
  ASSERT_TRUE(ToCallerOfAdapter(context, &position));
  EXPECT_EQ(position.pc, compiled_ + 50);
  EXPECT_EQ(position.sp, vm_.StackAddress(100));
}

TEST_F(StubStepsTest, AJumpOutsideTheCodeCacheIsFollowed) {
  uint8_t jump[16] = {0x49, 0xba, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0xff, 0xe2};
  const uint64_t target = vm_.interpreter();
  memcpy(jump + 2, &target, sizeof target);
  vm_.Stack(99) = compiled_ + 50;
  r13_ = vm_.StackAddress(100);
  for (const size_t offset : {0u, 10u}) {
    const uint64_t pc = reinterpret_cast<uint64_t>(jump) + offset;
    EXPECT_EQ(JumpTarget(pc), target);
    EXPECT_EQ(Walk(pc, 99, 0x1234), "stub c2:a0:3 root") << offset;
  }
  EXPECT_EQ(JumpTarget(reinterpret_cast<uint64_t>(jump) + 2), 0u);
}

TEST_F(StubStepsTest, AWrapperThatHasLeftItsFrameReturnsToTheTopOfTheStack) {
  FakeVm::Nmethod wrapper;
  wrapper.method = vm_.AddMethod(0xD0, 0);
  wrapper.level = 0;
  wrapper.frame_size = 10;
  const uint64_t code = vm_.AddNmethod(wrapper);
  vm_.Stack(99) = compiled_ + 50;
  vm_.Stack(98) = vm_.StackAddress(kEntry);
  EXPECT_EQ(Walk(code + 100, 90, vm_.StackAddress(98)), "wrapper:d0:-1 c2:a0:3 root");
  EXPECT_EQ(Walk(code + 100, 99, vm_.StackAddress(kEntry)), "wrapper:d0:-1 c2:a0:3 root");
}

// The frame pointer is that of an interpreted frame further up the stack. The four arguments of the
// entry are above the return address, which can be above a word for alignment.
TEST_F(StubStepsTest, AnEntryOfTheInterpreterWithoutAFrameLeadsToItsCompiledCaller) {
  constexpr size_t kFp = 140;
  InterpretedFromEntry(kFp);
  CalledFromInterpreted(100, kFp);
  const uint64_t stub = vm_.AddStub("updateBytesCRC32", 0, Code(kEnter));
  for (const size_t on_top : {0u, 1u}) {
    const size_t sp = 91 - on_top;
    vm_.Stack(91) = compiled_ + 50;
    vm_.Stack(sp - 1) = vm_.interpreter();
    vm_.Stack(sp - 2) = vm_.StackAddress(kFp);
    EXPECT_EQ(Walk(stub + 40, sp - 4, vm_.StackAddress(sp - 2)),
              "stub c2:a0:3 interpreted:c0:4 root")
        << on_top;
  }
}

TEST_F(StubStepsTest, AFrameInDeoptimisationLeadsToItsCaller) {
  constexpr size_t kMade = 90;
  vm_.Stack(kMade - 3) = 0;  // has no method yet
  vm_.Stack(kMade - 1) = vm_.StackAddress(100);
  vm_.Stack(kMade) = vm_.StackAddress(kEntry);
  vm_.Stack(kMade + 1) = compiled_ + 50;
  vm_.Stack(70) = vm_.StackAddress(kMade);
  vm_.Stack(71) = vm_.interpreter();
  vm_.SetAnchor(vm_.StackAddress(60), vm_.AddStub("DeoptimizationBlob", 11, Code(kEnter)) + 40,
                vm_.StackAddress(70));
  EXPECT_EQ(Walk(NativeCode(), 50, 0),
            "native [break: native code] [break: interpreted frame] c2:a0:3 root");
}

// The frame has the words of an earlier interpreted frame until the VM stores its last stack pointer.
TEST_F(StubStepsTest, AFrameInDeoptimisationHasNoMethodOfAnEarlierFrame) {
  constexpr size_t kMade = 120;
  InterpretedFromEntry(kMade);
  vm_.Stack(kMade - 2) = 0;
  vm_.Stack(70) = vm_.StackAddress(kMade);
  vm_.Stack(71) = vm_.interpreter();
  vm_.SetAnchor(vm_.StackAddress(60), vm_.AddStub("DeoptimizationBlob", 11, Code(kEnter)) + 40,
                vm_.StackAddress(70));
  EXPECT_EQ(Walk(NativeCode(), 50, 0),
            "native [break: native code] [break: interpreted frame] root");
  vm_.Stack(kMade - 2) = vm_.StackAddress(kMade - 12);
  EXPECT_EQ(Walk(NativeCode(), 50, 0), "native [break: native code] interpreted:c0:4 root");
}

TEST_F(StubStepsTest, TheCallStubIsAroundTheAddressToWhichJavaReturns) {
  const uint64_t call_stub = vm_.layout().call_stub_return;
  EXPECT_TRUE(IsNearCallStub(vm_.layout(), call_stub - 20));
  EXPECT_TRUE(IsNearCallStub(vm_.layout(), call_stub + 20));
  EXPECT_FALSE(IsNearCallStub(vm_.layout(), call_stub + 4096));
}

// The VM has continued the thread at the stub after a fault at a poll, so no return address is on the
// stack. A return address from an earlier call is on top of the polled frame.
TEST_F(StubStepsTest, AStubForPollsInLoopsReturnsToThePollOfTheThread) {
  const uint64_t stub =
      vm_.AddStub("SafepointBlob", 72, Code({0x53, 0x55, 0x48, 0x8b, 0xec, 0x9c}));
  const std::string all = "stub c2:a0:3 root";
  vm_.Stack(100) = vm_.Stack(99) = vm_.layout().call_stub_return;
  EXPECT_NE(Walk(stub, 100, vm_.StackAddress(kEntry)), all) << "no fault has been noted";
  vm_.SetPolledPc(compiled_ + 50);
  EXPECT_EQ(Walk(stub, 100, vm_.StackAddress(kEntry)), all);
  EXPECT_EQ(Walk(stub + 1, 99, vm_.StackAddress(kEntry)), all);
  vm_.Stack(98) = vm_.StackAddress(kEntry);
  EXPECT_EQ(Walk(stub + 2, 98, vm_.StackAddress(kEntry)), all);
  vm_.SetPolledPc(vm_.layout().call_stub_return);
  EXPECT_NE(Walk(stub, 100, vm_.StackAddress(kEntry)), all) << "no compiled method";
}

// C2's methods leave so for the stub that throws an exception again. The debug information at the
// jump is that of other code.
TEST_F(StubStepsTest, AMethodThatJumpsToAStubHasNoFrameAnyMore) {
  const uint64_t stub = vm_.AddStub("rethrow_stub", 4, Code(kEnter));
  FakeVm::Nmethod thrower;
  thrower.method = vm_.AddMethod(0xF0, 100);
  thrower.frame_size = 8;
  thrower.frame_complete = 5;
  thrower.code = Code({0x55, 0x48, 0x83, 0xec, 0x38});
  thrower.code[59] = 0x5d;
  thrower.code[60] = 0xe9;
  thrower.places = {{70, {{thrower.method, 3}}}};
  const uint64_t code = vm_.AddNmethod(thrower);
  const auto jump_to = [&](uint64_t target) {
    const auto distance = static_cast<int32_t>(target - (code + 65));
    memcpy(reinterpret_cast<void*>(code + 61), &distance, sizeof distance);
  };
  jump_to(stub);
  vm_.Stack(99) = compiled_ + 50;
  EXPECT_EQ(Walk(code + 60, 99, vm_.StackAddress(kEntry)), "stub c2:a0:3 root");
  jump_to(code + 90);
  EXPECT_NE(Walk(code + 60, 99, vm_.StackAddress(kEntry)), "stub c2:a0:3 root");
}

// C2's stub pops the address in the caller into %rdx, and jumps to the handler by another register.
TEST_F(StubStepsTest, AStubThatThrowsAnExceptionAgainPopsItsReturnAddressFirst) {
  std::vector<uint8_t> code = Code(kEnter);
  const std::vector<uint8_t> end = {0x5d, 0x5a, 0x41, 0xff, 0xe2};  // pop %rbp; pop %rdx; jmp *%r10
  std::copy(end.begin(), end.end(), code.begin() + 40);
  const uint64_t stub = vm_.AddStub("_rethrow_Java", 4, code);
  const std::string all = "stub c2:a0:3 root";
  vm_.Stack(99) = compiled_ + 50;
  vm_.Stack(98) = vm_.StackAddress(kEntry);
  EXPECT_EQ(Walk(stub + 40, 98, 0x1234), all);
  EXPECT_EQ(Walk(stub + 41, 99, vm_.StackAddress(kEntry)), all);
  rdx_ = compiled_ + 50;
  vm_.Stack(99) = 0;
  EXPECT_EQ(Walk(stub + 42, 100, vm_.StackAddress(kEntry)), all);
}

// C2's stub for exceptions gets the return address in %rdx, pushes it first, and pops it before it
// jumps to the handler. A return address from an earlier call is on top of the caller's frame.
TEST_F(StubStepsTest, AStubThatPushesItsReturnAddressHasItInARegister) {
  std::vector<uint8_t> code = Code({0x52, 0x48, 0x83, 0xec, 0x38});
  const std::vector<uint8_t> end = {
      0x5a,                                     // 40: pop %rdx
      0x4c, 0x8b, 0xc0,                         // 41: mov %rax, %r8
      0x49, 0x8b, 0x87, 0xe0, 5,    0,   0,     // 44: mov 1504(%r15), %rax
      0x49, 0x8b, 0x97, 0xe8, 5,    0,   0,     // 51: mov 1512(%r15), %rdx
      0x49, 0xc7, 0x87, 0xe0, 5,    0,   0, 0,  // 58: movq $0, 1504(%r15)
      0,    0,    0,    0x41, 0xff, 0xe0};      // 69: jmp *%r8
  std::copy(end.begin(), end.end(), code.begin() + 40);
  const uint64_t stub = vm_.AddStub("ExceptionBlob", 8, code);
  const std::string all = "stub c2:a0:3 root";
  rdx_ = compiled_ + 50;
  EXPECT_EQ(Walk(stub, 100, vm_.StackAddress(kEntry)), all);
  vm_.Stack(99) = compiled_ + 50;
  vm_.Stack(106) = compiled_ + 50;  // left from an earlier call, where the whole frame would end
  EXPECT_EQ(Walk(stub + 1, 99, vm_.StackAddress(kEntry)), all);
  vm_.Stack(106) = 0;
  vm_.Stack(99) = 0;
  CalledFromEntry(105);
  vm_.Stack(100) = compiled_ + 50;
  for (const uint64_t offset : {0u, 41u, 44u, 51u, 58u, 69u}) {
    EXPECT_EQ(Walk(stub + offset, 100, vm_.StackAddress(kEntry)), all) << offset;
  }
  vm_.Stack(99) = compiled_ + 50;
  rdx_ = 0;
  EXPECT_EQ(Walk(stub + 40, 99, vm_.StackAddress(kEntry)), all);
  CalledFromEntry(104);
  const uint64_t other = vm_.AddStub("other", 8, Code({0x52, 0x48, 0x89, 0xec, 0x38}));
  vm_.Stack(99) = compiled_ + 50;
  rdx_ = compiled_ + 40;
  EXPECT_EQ(Walk(other, 99, vm_.StackAddress(kEntry)), "stub c2:a0:3 root");
}

// The wrapper of Object.hashCode reads the hash from the object, and returns, before it makes a
// frame.
TEST_F(StubStepsTest, AWrapperReturnsToTheTopOfTheStackBeforeItMakesItsFrame) {
  FakeVm::Nmethod wrapper;
  wrapper.method = vm_.AddMethod(0xD0, 0);
  wrapper.level = 0;
  wrapper.frame_size = 10;
  wrapper.frame_complete = 60;
  wrapper.code[20] = 0xc3;
  std::copy(kEnter.begin(), kEnter.end(), wrapper.code.begin() + 40);
  const uint64_t code = vm_.AddNmethod(wrapper);
  vm_.Stack(99) = compiled_ + 50;
  vm_.Stack(90) = compiled_ + 50;   // a return address from an earlier call
  vm_.Stack(108) = compiled_ + 50;  // where the complete frame would end
  for (const uint64_t offset : {0u, 10u, 20u, 30u, 40u}) {
    EXPECT_EQ(Walk(code + offset, 99, vm_.StackAddress(kEntry)), "wrapper:d0:-1 c2:a0:3 root")
        << offset;
  }
  vm_.Stack(98) = vm_.StackAddress(kEntry);
  vm_.Stack(107) = compiled_ + 50;  // where the complete frame would end
  EXPECT_EQ(Walk(code + 41, 98, vm_.StackAddress(kEntry)), "wrapper:d0:-1 c2:a0:3 root");
  EXPECT_EQ(Walk(code + 44, 98, vm_.StackAddress(98)), "wrapper:d0:-1 c2:a0:3 root");
  EXPECT_EQ(Walk(code + 60, 90, vm_.StackAddress(98)), "wrapper:d0:-1 c2:a0:3 root");
}

TEST_F(StubStepsTest, TheReturnBarrierEndsInTheFramesThatWereCopiedBack) {
  std::vector<uint8_t> code = Code({});
  const std::vector<uint8_t> end = {0x48, 0x8b, 0xe3,        // 200: mov %rbx, %rsp
                                    0x48, 0x83, 0xec, 0x10,  // 203: sub $16, %rsp
                                    0x5d, 0xc3};             // 207: pop %rbp; ret
  std::ranges::copy(end, code.begin() + 200);
  const uint64_t stub = vm_.AddStub("Cont thaw return barrier", 0, code);
  vm_.Stack(99) = compiled_ + 50;
  vm_.Stack(98) = vm_.StackAddress(kEntry);
  vm_.Stack(91) = vm_.Stack(92) = compiled_ + 50;  // from an earlier call
  rbx_ = vm_.StackAddress(100);
  EXPECT_EQ(Walk(stub + 200, 90, vm_.StackAddress(kEntry)), "stub c2:a0:3 root");
  rbx_ = 0;
  EXPECT_EQ(Walk(stub + 203, 100, vm_.StackAddress(kEntry)), "stub c2:a0:3 root");
  EXPECT_EQ(Walk(stub + 207, 98, vm_.StackAddress(kEntry)), "stub c2:a0:3 root");
}

// The frame pointer is that of an interpreted frame further up the stack, and not that of the
// method that the interpreter runs, if the stack pointer is too far below that frame.
TEST_F(StubStepsTest, AnInterpretedFrameReachesNoFurtherThanItsOperands) {
  constexpr size_t kFp = 120;
  InterpretedFromEntry(kFp);
  CalledFromInterpreted(104, kFp);
  vm_.Stack(99) = compiled_ + 50;
  EXPECT_EQ(Walk(vm_.interpreter(), 110, vm_.StackAddress(kFp)), "interpreted:c0:4 root");
  r13_ = vm_.StackAddress(100);
  EXPECT_EQ(Walk(vm_.interpreter(), 99 - 40, vm_.StackAddress(kFp)).substr(0, 4), "stub");
}

// The interpreter enters a method that compiled code has called, and has not made its frame yet. The
// frame pointer is that of an interpreted frame near enough to be the topmost one.
TEST_F(StubStepsTest, TheInterpreterIsEnteredFromCompiledCode) {
  constexpr size_t kFp = 120;
  InterpretedFromEntry(kFp);
  CalledFromInterpreted(104, kFp);
  const std::string all = "stub c2:a0:3 interpreted:c0:4 root";
  r13_ = vm_.StackAddress(100);
  vm_.Stack(99) = compiled_ + 50;
  EXPECT_EQ(Walk(vm_.interpreter(), 99, vm_.StackAddress(kFp)), all) << "on top of the stack";
  vm_.Stack(99) = 0;
  rax_ = compiled_ + 50;
  EXPECT_EQ(Walk(vm_.interpreter(), 97, vm_.StackAddress(kFp)), all) << "in a register";
  r13_ = vm_.BytecodesOf(vm_.Stack(kFp - 3)) + 4;
  EXPECT_EQ(Walk(vm_.interpreter(), 108, vm_.StackAddress(kFp)), "interpreted:c0:4 root")
      << "the register points to bytecodes while a method runs";
}

}  // namespace
}  // namespace jprof::test
