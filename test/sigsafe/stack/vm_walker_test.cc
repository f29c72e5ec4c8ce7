#include "sigsafe/stack/vm_walker.h"

#include <utility>

#include "sigsafe/native/native_code.h"
#include "sigsafe/stack/vm_walk_test.h"
#include "unwind/unwind_table_builder.h"

namespace jprof::test {
namespace {

class VmWalkerTest : public VmWalkTest {};

TEST_F(VmWalkerTest, LeavesACompiledFrameFromEveryInstruction) {
  struct At {
    uint64_t offset;
    size_t words_pushed;  // words of the frame, including the return address
    bool fp_is_callers;   // true if the frame pointer register has the caller's value
  };
  const At all[] = {{0, 1, true},  {5, 1, true},   {12, 1, true},  {13, 2, true},
                    {17, 4, true}, {30, 4, false}, {60, 4, false}, {64, 2, false},
                    {65, 1, true}, {72, 1, true},  {78, 1, true}};
  for (const At& at : all) {
    constexpr size_t kEnd = 100;
    CalledFromEntry(kEnd);
    const uint64_t fp = at.fp_is_callers ? vm_.StackAddress(kEntry) : 0x1234;
    if (at.words_pushed == 1) vm_.Stack(kEnd - 2) = 0xdead;  // not pushed yet, or already popped
    const std::string walk = Walk(compiled_ + at.offset, kEnd - at.words_pushed, fp);
    EXPECT_EQ(walk, at.offset <= 50 ? "c2:a0:3 root" : "c2:a0:-1 root") << at.offset;
  }
}

// While a thread is in the prologue, the VM can replace the first instruction by a jump.
TEST_F(VmWalkerTest, LeavesThePrologueOfAMethodThatIsNotToBeEnteredAnyMore) {
  struct Method {
    std::vector<uint8_t> code;
    uint64_t size;  // of the first instruction
  };
  const std::vector<uint8_t> jump = {0xe9, 0x12, 0x34, 0x56, 0xff};
  for (const Method& patched :
       {Method{{0x0f, 0x1f, 0x44, 0x00, 0x00, 0x55, 0x48, 0x83, 0xec, 0x10}, 5},
        Method{{0x89, 0x84, 0x24, 0x00, 0xa0, 0xfe, 0xff, 0x55, 0x48, 0x83, 0xec, 0x10}, 7},
        Method{{0x89, 0x84, 0x24, 0x00, 0x00, 0xff, 0xff, 0x55, 0x48, 0x83, 0xec, 0x10}, 7}}) {
    FakeVm::Nmethod made;
    made.method = vm_.AddMethod(0xF0, 100);
    made.code = Code(patched.code);
    made.frame_size = 5;
    made.frame_complete = static_cast<int16_t>(patched.size + 5);
    made.places = {{50, {{made.method, 3}}}};
    const uint64_t code = vm_.AddNmethod(made);
    PutCode(code, jump);
    // The compiled method has called it.
    constexpr size_t kEnd = 100;
    CalledFromEntry(kEnd + 4);
    vm_.Stack(kEnd - 1) = compiled_ + 50;
    for (const uint64_t offset : {uint64_t{0}, patched.size}) {
      vm_.Stack(kEnd - 2) = 0xdead;
      EXPECT_EQ(Walk(code + offset, kEnd - 1, 0x1234), "c2:f0:3 c2:a0:3 root") << offset;
    }
    vm_.Stack(kEnd - 2) = 0x1234;
    EXPECT_EQ(Walk(code + patched.size + 1, kEnd - 2, 0x5678), "c2:f0:3 c2:a0:3 root");
  }
}

TEST_F(VmWalkerTest, InlinedMethodsComeBeforeTheMethodThatContainsThem) {
  FakeVm::Nmethod nmethod;
  nmethod.level = 3;
  nmethod.frame_complete = 0;
  const uint64_t outer = vm_.AddMethod(0xB0, 100);
  const uint64_t inner = vm_.AddMethod(0xB1, 100);
  nmethod.method = outer;
  nmethod.places = {{50, {{inner, 5}, {outer, 8}}}};
  CalledFromEntry(100);
  EXPECT_EQ(Walk(vm_.AddNmethod(nmethod) + 50, 96, 0), "inlined:b1:5 c1:b0:8 root");
}

TEST_F(VmWalkerTest, AnInterpretedFrameHasItsBytecodeIndex) {
  const uint64_t method = vm_.AddMethod(0xC0, 30);
  constexpr size_t kFp = 120;
  vm_.Stack(kFp) = vm_.StackAddress(kEntry);
  vm_.Stack(kFp + 1) = vm_.layout().call_stub_return;
  vm_.Stack(kFp - 1) = vm_.StackAddress(kFp + 2);
  vm_.Stack(kFp - 3) = method;
  vm_.Stack(kFp - 8) = vm_.BytecodesOf(method) + 11;
  EXPECT_EQ(Walk(vm_.interpreter(), kFp - 12, vm_.StackAddress(kFp)), "interpreted:c0:11 root");
}

TEST_F(VmWalkerTest, AMethodThatTheInterpreterIsEnteringReturnsToARegister) {
  CalledFromEntry(104);
  rax_ = compiled_ + 50;
  r13_ = vm_.StackAddress(100);
  EXPECT_EQ(Walk(vm_.interpreter(), 80, 0x1234), "stub c2:a0:3 root");
}

TEST_F(VmWalkerTest, AStubWithoutAFrameReturnsToTheTopOfTheStack) {
  CalledFromEntry(104);
  vm_.Stack(99) = compiled_ + 50;
  const uint64_t stub = vm_.AddStub("itable stub", 0, Code({}, 64));
  EXPECT_EQ(Walk(stub + 8, 99, 0x1234), "stub c2:a0:3 root");
}

// One of the registers that the stub has pushed has an address that looks like a return address.
TEST_F(VmWalkerTest, AStubThatPushesRegistersReturnsToTheCallThatHasItsEntry) {
  CalledFromEntry(104);
  for (const int frame_size : {0, -1}) {
    const uint64_t stub = vm_.AddStub("slow_subtype_check", frame_size, Code({}));
    const auto distance = static_cast<int32_t>(stub - (compiled_ + 50));
    memcpy(reinterpret_cast<void*>(compiled_ + 46), &distance, sizeof distance);
    vm_.Stack(99) = compiled_ + 50;
    for (const size_t sp : {95u, 89u}) {
      vm_.Stack(sp) = vm_.layout().call_stub_return;
      vm_.Stack(sp + 1) = 0;
      EXPECT_EQ(Walk(stub + 30, sp, vm_.StackAddress(kEntry)), "stub c2:a0:3 root") << frame_size;
    }
    vm_.SetAnchor(vm_.StackAddress(89), stub + 30, vm_.StackAddress(kEntry));
    EXPECT_EQ(Walk(NativeCode(), 80, 0), "native [break: native code] c2:a0:3 root")
        << "it has called other code";
    vm_.SetAnchor(0, 0, 0);
  }
}

// C1 has pushed two registers and two arguments.
TEST_F(VmWalkerTest, AStubReturnsToACallBelowFourPushedWords) {
  PutCode(compiled_ + 100, {0xe8, 0, 0, 0, 0,        // 100: call
                            0x5b, 0x41, 0x5e,        // 105: pop %rbx; pop %r14
                            0x85, 0xdb, 0x75, 0x10,  // 108: test %ebx, %ebx; jne
                            0x5b, 0x41, 0x5e});      // 112: pop %rbx; pop %r14
  const uint64_t stub = vm_.AddStub("slow_subtype_check", -1, Code({}));
  const auto distance = static_cast<int32_t>(stub - (compiled_ + 105));
  memcpy(reinterpret_cast<void*>(compiled_ + 101), &distance, sizeof distance);
  vm_.Stack(95) = compiled_ + 105;
  vm_.Stack(99) = compiled_ + 50;  // of an earlier call
  CalledFromEntry(104);
  EXPECT_EQ(Walk(stub + 30, 91, vm_.StackAddress(kEntry)), "stub c2:a0:-1 root");
}

TEST_F(VmWalkerTest, LeavesAStubThatHasSavedAllRegisters) {
  CalledFromEntry(204);
  vm_.Stack(199) = compiled_ + 50;
  const uint64_t adapter = vm_.AddStub("I2C/C2I adapters", 0, Code({}, 64));
  constexpr size_t kSavedWords = 83;
  vm_.Stack(199 - kSavedWords + 66) = vm_.StackAddress(199);
  vm_.SetAnchor(vm_.StackAddress(199 - kSavedWords), adapter + 8, vm_.StackAddress(kEntry));
  EXPECT_EQ(Walk(NativeCode(), 90, 0), "native [break: native code] c2:a0:3 root");
}

// Compiled methods of JDK 8 can save all registers. A return address from an earlier call is where
// the method's own return address would be if no registers were saved.
TEST_F(VmWalkerTest, LeavesACompiledMethodThatHasSavedAllRegisters) {
  constexpr size_t kFrameWords = 4;
  constexpr size_t kGeneral = 16;
  constexpr size_t kStackPointer = 11;
  FakeVm::Nmethod sine;
  sine.method = vm_.AddMethod(0xF0, 100);
  sine.code = Code({0x55, 0x48, 0x83, 0xec, 0x10});
  sine.frame_complete = 5;
  sine.frame_size = kFrameWords;
  const std::vector<uint8_t> pusha = {0x48, 0x89, 0x64, 0x24, 0xd8,  // mov %rsp, -40(%rsp)
                                      0x48, 0x81, 0xec, 0x80, 0x00, 0x00, 0x00};  // sub $128, %rsp
  std::copy(pusha.begin(), pusha.end(), sine.code.begin() + 40);
  sine.code[75] = 0xe8;
  sine.places = {{90, {{sine.method, 3}}}};  // after the call, which has no debug information
  const uint64_t code = vm_.AddNmethod(sine);
  CalledFromEntry(204);
  vm_.Stack(199) = compiled_ + 50;
  for (const size_t below : {0u, 32u, 33u, 34u, 66u}) {
    const size_t sp = 200 - kFrameWords - kGeneral - below;
    const uint64_t saved =
        std::exchange(vm_.Stack(sp + below + kStackPointer), vm_.StackAddress(200 - kFrameWords));
    const uint64_t over = std::exchange(vm_.Stack(sp + kFrameWords - 1), compiled_ + 50);
    EXPECT_EQ(Walk(code + 60, sp, 0x1234), "c2:f0:3 c2:a0:3 root") << below;
    vm_.SetAnchor(vm_.StackAddress(sp), code + 80, 0);
    EXPECT_EQ(Walk(NativeCode(), 50, 0, StackMode::kNo), "c2:f0:3 c2:a0:3 root") << below;
    vm_.Stack(sp + below + kStackPointer) = saved;
    vm_.Stack(sp + kFrameWords - 1) = over;
  }
}

// A compiled method might have pushed words onto its frame. A return address from an earlier call,
// into the interpreter or the call stub, is where the method's own return address would be without
// these words.
TEST_F(VmWalkerTest, ACompiledMethodDoesNotReturnToCodeWithoutAFrame) {
  CalledFromEntry(104);
  for (const uint64_t stale : {vm_.interpreter(), vm_.layout().call_stub_return}) {
    vm_.Stack(102 - 1) = stale;
    vm_.Stack(102 - 2) = vm_.StackAddress(20);
    EXPECT_EQ(Walk(compiled_ + 40, 98, 0x1234), "c2:a0:3 root");
  }
}

TEST_F(VmWalkerTest, SkipsAReturnAddressOfAnEarlierCall) {
  CalledFromEntry(104);
  // A return address from an earlier call: no caller is four words above it.
  vm_.Stack(92) = compiled_ + 50;
  vm_.Stack(99) = compiled_ + 50;
  const uint64_t stub = vm_.AddStub("arraycopy", 0, Code({}, 64));
  EXPECT_EQ(Walk(stub + 8, 92, 0x1234), "stub c2:a0:3 root");
}

TEST_F(VmWalkerTest, ShowsADeoptimisedFrameAtItsOriginalReturn) {
  CalledFromEntry(104);
  const uint64_t handler = compiled_ + 256 - 8;
  vm_.Stack(101) = compiled_ + 50;  // the original return address, in the frame
  vm_.Stack(99) = handler;
  const uint64_t stub = vm_.AddStub("stub", 0, Code({}, 64));
  EXPECT_EQ(Walk(stub + 8, 99, 0x1234), "stub c2:a0:3 root");
}

TEST_F(VmWalkerTest, LeavesNativeCodeByTheAnchorAndMarksTheGap) {
  CalledFromEntry(104);
  vm_.SetAnchor(vm_.StackAddress(100), compiled_ + 50, 0);
  EXPECT_EQ(Walk(NativeCode(), 90, 0), "native [break: native code] c2:a0:3 root");
  EXPECT_EQ(Walk(NativeCode(), 90, 0, StackMode::kNo), "c2:a0:3 root");
}

// In code that does not use the frame pointer, the register can still have the frame pointer of a
// frame further up the stack.
TEST_F(VmWalkerTest, AFramePointerDoesNotLeadPastTheAnchor) {
  CalledFromEntry(112);
  vm_.Stack(107) = compiled_ + 50;  // the frame at 104 returns to the one at 108
  vm_.Stack(106) = 0;
  vm_.Stack(103) = compiled_ + 50;
  vm_.SetAnchor(vm_.StackAddress(104), compiled_ + 50, 0);
  EXPECT_EQ(Walk(NativeCode(), 90, vm_.StackAddress(106)),
            "native [break: native code] c2:a0:3 c2:a0:3 root");
  vm_.SetAnchor(vm_.StackAddress(108), compiled_ + 50, 0);
  EXPECT_EQ(Walk(NativeCode(), 90, vm_.StackAddress(106)), "native c2:a0:3 root")
      << "the anchor and the frame pointer lead to the same frame";
  vm_.SetAnchor(0, 0, 0);
  EXPECT_EQ(Walk(NativeCode(), 90, vm_.StackAddress(106)), "native [break: native code] broken")
      << "it is unknown which Java frame called the native code";
}

TEST_F(VmWalkerTest, LeavesNativeCodeByTheAnchorOfItsCallOfJava) {
  CalledFromEntry(304);
  constexpr size_t kInner = 200;
  vm_.MakeEntryFrame(kInner);
  uint64_t* anchor = &vm_.Stack(kInner + 8 + 32 / 8);
  anchor[0] = vm_.StackAddress(300);
  anchor[1] = compiled_ + 50;
  vm_.Stack(kInner) = 0;
  vm_.Stack(kInner + 1) = NativeCode();
  vm_.Stack(98) = vm_.StackAddress(kInner);
  vm_.Stack(99) = vm_.layout().call_stub_return;
  EXPECT_EQ(Walk(compiled_ + 50, 96, 0, StackMode::kVmx).substr(0, 37),
            "c2:a0:3 [break: native code] c2:a0:3 ");
}

// An upcall stub has the anchor somewhere in its frame, directly before the address of the
// JavaThread.
TEST_F(VmWalkerTest, AnUpcallStubLeadsToTheCallerOfTheNativeCode) {
  CalledFromEntry(304);
  constexpr size_t kStubFrame = 200;
  const uint64_t stub = vm_.AddStub("upcall_stub", 0, Code({}, 64));
  vm_.Stack(98) = vm_.StackAddress(kStubFrame);
  vm_.Stack(99) = stub + 30;
  vm_.Stack(120) = vm_.java_thread();  // a saved register
  EXPECT_EQ(Walk(compiled_ + 50, 96, 0), "c2:a0:3 root") << "no Java frame called the native code";
  vm_.Stack(150) = vm_.StackAddress(300);
  vm_.Stack(151) = compiled_ + 50;
  vm_.Stack(153) = vm_.java_thread();
  EXPECT_EQ(Walk(compiled_ + 50, 96, 0), "c2:a0:3 c2:a0:3 root");
  vm_.Stack(kStubFrame) = 0;
  vm_.Stack(kStubFrame + 1) = NativeCode();
  EXPECT_EQ(Walk(compiled_ + 50, 96, 0, StackMode::kVmx).substr(0, 37),
            "c2:a0:3 [break: native code] c2:a0:3 ");
  vm_.Stack(120) = vm_.Stack(153) = 0;
  EXPECT_EQ(Walk(compiled_ + 50, 96, 0), "c2:a0:3 [break: stub] broken");
}

TEST_F(VmWalkerTest, OnlyTheOutermostEntryFrameOfAThreadIsItsRoot) {
  CalledFromEntry(304);
  constexpr size_t kInner = 200;
  vm_.MakeEntryFrame(kInner);
  uint64_t* anchor = &vm_.Stack(kInner + 8 + 32 / 8);
  anchor[0] = vm_.StackAddress(300);
  anchor[1] = compiled_ + 50;
  vm_.Stack(98) = vm_.StackAddress(kInner);
  vm_.Stack(99) = vm_.layout().call_stub_return;
  EXPECT_EQ(Walk(compiled_ + 50, 96, 0), "c2:a0:3 c2:a0:3 root");
}

TEST_F(VmWalkerTest, AThreadThatLeavesItsOutermostEntryFrameHasOnlyTheStub) {
  EXPECT_EQ(Walk(vm_.layout().call_stub_return, 100, vm_.StackAddress(kEntry)), "stub root");
}

TEST_F(VmWalkerTest, AStackOfNativeFramesIsOnlyTheInterruptedCodeInModeNo) {
  UnwindTableBuilder builder(64);
  UnwindRule outermost;
  outermost.cfa = CfaKind::kOutermost;
  builder.Add(0, outermost);
  const Result<BuiltTable> built = builder.Build();
  ASSERT_TRUE(built.ok());
  const CodeRange range = {NativeCode() - 32, NativeCode() + 32, built.value().table};
  jprof::NativeCode::OfProcess().Publish(&range, 1);
  EXPECT_EQ(Walk(NativeCode(), 90, 0, StackMode::kNo), "native root");
  jprof::NativeCode::OfProcess().Publish(nullptr, 0);
}

// The interpreter has removed a method's frame because of an exception, and has called the VM. The
// frame pointer is that of an interpreted frame above the compiled caller's.
TEST_F(VmWalkerTest, LeavesCodeThatHasRemovedAFrameBecauseOfAnException) {
  constexpr size_t kNative = 80;  // the word with the return address of the native code
  constexpr size_t kFp = 120;
  UnwindRule rule;
  rule.cfa = CfaKind::kRegister;
  rule.cfa_register = kStackPointerNumber;
  rule.cfa_offset = 8;
  rule.return_address = {PlaceKind::kAtCfa, 0, -8};
  UnwindTableBuilder builder(64);
  builder.Add(0, rule);
  const Result<BuiltTable> built = builder.Build();
  ASSERT_TRUE(built.ok());
  const CodeRange range = {NativeCode() - 32, NativeCode() + 32, built.value().table};
  jprof::NativeCode::OfProcess().Publish(&range, 1);
  InterpretedFromEntry(kFp);
  vm_.Stack(kNative) = vm_.interpreter();
  for (const size_t pushed : {1u, 2u}) {
    PutCode(vm_.interpreter(), {0x48, 0x8b, 0xd8, 0x5a, static_cast<uint8_t>(0x56 + pushed)});
    vm_.Stack(kNative + 1) = compiled_ + 50;
    CalledFromInterpreted(kNative + 1 + pushed + 4, kFp);
    EXPECT_EQ(Walk(NativeCode(), kNative, vm_.StackAddress(kFp)),
              "native c2:a0:3 interpreted:c0:4 root")
        << pushed;
  }
  jprof::NativeCode::OfProcess().Publish(nullptr, 0);
}

TEST_F(VmWalkerTest, AVirtualThreadsStackEndsWhereItIsMounted) {
  constexpr size_t kEnd = 100;
  FakeVm::Nmethod enter_special;
  enter_special.method = vm_.AddMethod(0xE0, 10);
  enter_special.level = 0;
  enter_special.code[45] = 0xe8;
  enter_special.places = {{50, {{enter_special.method, 0}}}};
  const uint64_t code = vm_.AddNmethod(enter_special);
  vm_.SetContinuationReturn(code + 80);
  CalledFromEntry(kEnd);
  vm_.Stack(kEnd - 5) = code + 50;
  const std::string whole = Walk(compiled_ + 50, kEnd - 8, 0x1234);
  EXPECT_EQ(whole, "c2:a0:3 wrapper:e0:0 root") << "of a carrier";
  until_ = WalkUntil::kMount;
  EXPECT_EQ(Walk(compiled_ + 50, kEnd - 8, 0x1234), "c2:a0:3 mount");
  EXPECT_EQ(Walk(code + 50, kEnd - 4, 0x1234), "wrapper:e0:0 root")
      << "the virtual thread has no frames";
  vm_.SetContinuationReturn(0);
  EXPECT_EQ(Walk(compiled_ + 50, kEnd - 8, 0x1234), whole) << "enterSpecial is unknown";
  vm_.SetContinuationEntry(enter_special.method);
  EXPECT_EQ(Walk(compiled_ + 50, kEnd - 8, 0x1234), "c2:a0:3 mount")
      << "enterSpecial is known by its method";
}

TEST_F(VmWalkerTest, AVirtualThreadsStackContinuesAfterItsContinuations) {
  // The addresses of the ContinuationEntries, which are the stack pointers of enterSpecial.
  constexpr size_t kInner = 92;
  constexpr size_t kOuter = 112;
  FakeVm::Nmethod enter_special;
  enter_special.method = vm_.AddMethod(0xE0, 10);
  enter_special.level = 0;
  enter_special.frame_size = 8;
  enter_special.code[45] = 0xe8;
  enter_special.places = {{50, {{enter_special.method, 0}}}};
  const uint64_t code = vm_.AddNmethod(enter_special);
  vm_.SetContinuationReturn(code + 50);
  until_ = WalkUntil::kMount;
  vm_.Stack(kInner - 1) = code + 50;
  vm_.Stack(kInner + 7) = compiled_ + 50;  // frame at 100
  vm_.Stack(103) = compiled_ + 50;         // frame at 104
  vm_.Stack(107) = compiled_ + 50;         // frame at 108
  vm_.Stack(kOuter - 1) = code + 50;
  vm_.Stack(kOuter + 7) = compiled_ + 50;
  for (const size_t field : {0u, 1u}) {
    vm_.Stack(kInner) = vm_.Stack(kInner + 1) = 0;
    vm_.Stack(kInner + field) = vm_.StackAddress(kOuter);
    EXPECT_EQ(Walk(compiled_ + 50, kInner - 4, 0x1234),
              "c2:a0:3 wrapper:e0:0 c2:a0:3 c2:a0:3 c2:a0:3 mount")
        << field;
  }
  vm_.Stack(kInner + 1) = vm_.StackAddress(kOuter + 1);
  EXPECT_EQ(Walk(compiled_ + 50, kInner - 4, 0x1234), "c2:a0:3 mount") << "the parent is no entry";
  vm_.Stack(kInner + 1) = vm_.StackAddress(kOuter);
  for (const size_t flags : {3u, 4u}) {
    vm_.Stack(kInner + 3) = vm_.Stack(kInner + 4) = 0;
    vm_.Stack(kInner + flags) = uint64_t{5} << 32 | 1;
    EXPECT_EQ(Walk(compiled_ + 50, kInner - 4, 0x1234), "c2:a0:3 mount")
        << "a virtual thread's own continuation has no parent";
  }
}

TEST_F(VmWalkerTest, AFullSinkEndsTheWalk) {
  CalledFromEntry(100);
  vm_.SetAnchor(vm_.StackAddress(100), compiled_ + 50, 0);
  CalledFromEntry(104);
  room_ = 1;
  EXPECT_EQ(Walk(NativeCode(), 90, 0), "native full");
}

TEST_F(VmWalkerTest, RefusesAnInterpretedFrameBelowItsCallee) {
  vm_.Stack(99) = vm_.interpreter();
  vm_.Stack(98) = vm_.StackAddress(80);
  vm_.Stack(81) = vm_.interpreter();
  vm_.Stack(80) = vm_.StackAddress(80);
  vm_.Stack(79) = vm_.StackAddress(100);
  EXPECT_EQ(Walk(compiled_ + 50, 96, 0), "c2:a0:3 [break: compiled frame] broken");
  vm_.Stack(95) = compiled_ + 50;
  EXPECT_EQ(Walk(compiled_ + 50, 92, 0), "c2:a0:3 c2:a0:3 [break: interpreted frame] broken");
}

TEST_F(VmWalkerTest, InvalidMemoryBreaksTheWalkWithAReason) {
  EXPECT_EQ(Walk(compiled_ + 50, 96, 0), "c2:a0:3 [break: compiled frame] broken");
  EXPECT_EQ(Walk(vm_.layout().code_high - 1, 96, 0), "[break: unknown code] broken");
  EXPECT_EQ(Walk(NativeCode(), 90, vm_.StackAddress(3)), "native [no Java frame] broken");
}

// The poll before the return jumps to code behind the method.
TEST_F(VmWalkerTest, TheCodeBehindAPollBeforeTheReturnHasNoFrame) {
  PutCode(compiled_ + 100,
          {0x49, 0xba, 1,    2,    3,    4,    5, 6,    7, 8,  // 100: mov $pc, %r10
           0x4d, 0x89, 0x97, 0x88, 0,    0,    0, 0xe9, 0,     // 110: mov; 117: jmp
           0,    0,    0,    0x4c, 0x8d, 0x15, 1, 2,           // 122: lea pc(%rip), %r10
           3,    4,    0x4d, 0x89, 0x97, 0x88, 0, 0,    0, 0xe9});
  vm_.Stack(95) = compiled_ + 50;
  vm_.Stack(98) = compiled_ + 50;
  CalledFromEntry(100);
  vm_.SetPolledPc(0);  // makes the field exist, at the offset 0x88
  for (const uint64_t offset : {100, 110, 117, 122, 129}) {
    EXPECT_EQ(Walk(compiled_ + offset, 95, 0), "c2:a0:-1 c2:a0:3 root") << offset;
  }
}

// The check of the stack's reserved zone follows the removal of the frame.
TEST_F(VmWalkerTest, TheCheckOfTheReservedZoneHasNoFrame) {
  PutCode(compiled_ + 100, {0x49, 0x3b, 0xa7, 0xb8, 0x03, 0, 0,  // cmp 952(%r15), %rsp
                            0x0f, 0x82, 0x3f, 0, 0, 0,           // jb
                            0x49, 0x8b, 0xff});                  // mov %r15, %rdi
  vm_.Stack(95) = compiled_ + 50;
  vm_.Stack(98) = compiled_ + 50;
  CalledFromEntry(100);
  EXPECT_EQ(Walk(compiled_ + 100, 95, 0), "c2:a0:-1 c2:a0:3 root");
  EXPECT_EQ(Walk(compiled_ + 107, 95, 0), "c2:a0:-1 c2:a0:3 root");
}

}  // namespace
}  // namespace jprof::test
