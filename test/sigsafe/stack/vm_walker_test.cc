#include "sigsafe/stack/vm_walker.h"

#include <gtest/gtest.h>

#include <cstring>

#include "sigsafe/hotspot/fake_vm.h"
#include "sigsafe/stack/walk_outcome.h"

namespace jprof {
namespace {

using test::FakeVm;

// Code of `size` bytes that begins with `bytes`.
std::vector<uint8_t> Code(std::vector<uint8_t> bytes, size_t size = 256) {
  bytes.resize(size, 0x90);
  return bytes;
}

// Frames of a stack that the test lays out: words from 64 on, the entry frame's pointer at 400.
class VmWalkerTest : public testing::Test {
 protected:
  static constexpr size_t kEntry = 400;

  VmWalkerTest() {
    vm_.MakeEntryFrame(kEntry);
    FakeVm::Nmethod compiled;
    compiled.method = vm_.AddMethod(0xA0, 100);
    compiled.code = Code({0x0f, 0x1f, 0x44, 0x00, 0x00,              // 0: nop
                          0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff,  // 5: mov %eax, -N(%rsp)
                          0x55,                                      // 12: push %rbp
                          0x48, 0x83, 0xec, 0x10});                  // 13: sub $16, %rsp
    compiled.frame_complete = 17;
    compiled.frame_size = 4;
    compiled.code[45] = 0xe8;
    compiled.places = {{50, {{compiled.method, 3}}}};
    const std::vector<uint8_t> epilogue = {0x48, 0x83, 0xc4, 0x10,                    // 60: add
                                           0x5d,                                      // 64: pop
                                           0x49, 0x3b, 0xa7, 0x48, 0x04, 0x00, 0x00,  // 65: cmp
                                           0x0f, 0x87, 0x01, 0x00, 0x00, 0x00,        // 72: ja
                                           0xc3};                                     // 78: ret
    std::copy(epilogue.begin(), epilogue.end(), compiled.code.begin() + 60);
    compiled_ = vm_.AddNmethod(compiled);
  }

  void SetUp() override {
#ifndef __x86_64__
    GTEST_SKIP() << "lays out frames of x86-64";
#endif
  }

  // The compiled method's frame, called from the entry: its words end below `end`, where the
  // caller's stack pointer is.
  void CalledFromEntry(size_t end) {
    vm_.Stack(end - 1) = vm_.layout().call_stub_return;
    vm_.Stack(end - 2) = vm_.StackAddress(kEntry);
  }

  std::string Walk(uint64_t pc, size_t sp, uint64_t fp, StackMode mode = StackMode::kVm) {
    ucontext_t context{};
#ifdef __x86_64__
    context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(pc);
    context.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(vm_.StackAddress(sp));
    context.uc_mcontext.gregs[REG_RBP] = static_cast<greg_t>(fp);
    context.uc_mcontext.gregs[REG_RAX] = static_cast<greg_t>(rax_);
    context.uc_mcontext.gregs[REG_R13] = static_cast<greg_t>(r13_);
#endif
    Frame frames[64];
    FrameSink sink(frames, room_, 0);
    const WalkEnd end = WalkVmStack(vm_.layout(), mode, vm_.jni_env(), &context, &sink);
    std::string text;
    const uint32_t count = sink.Finish();
    for (uint32_t i = 0; i < count; ++i) text += TextOf(frames[i]) + " ";
    return text + (end == WalkEnd::kRoot ? "root" : end == WalkEnd::kFull ? "full" : "broken");
  }

  // Readable, and no code that the VM has generated.
  static uint64_t NativeCode() {
    static const uint8_t code[64] = {};
    return reinterpret_cast<uint64_t>(code) + 32;
  }

  static std::string TextOf(const Frame& frame) {
    const char* kinds[] = {"java", "interpreted", "c1", "c2", "inlined", "wrapper"};
    if (frame.kind == FrameKind::kStub) return "stub";
    if (frame.kind == FrameKind::kNative) return "native";
    if (frame.kind == FrameKind::kOutcome) return FrameName(static_cast<WalkOutcome>(frame.id));
    char text[64];
    snprintf(text, sizeof text, "%s:%lx:%d", kinds[static_cast<int>(frame.kind)],
             static_cast<unsigned long>(frame.id), frame.bci);
    return text;
  }

  FakeVm vm_;
  uint64_t compiled_;
  uint64_t rax_ = 0;
  uint64_t r13_ = 0;
  uint32_t room_ = 64;
};

TEST_F(VmWalkerTest, ACompiledFrameIsLeftFromEveryInstruction) {
  struct At {
    uint64_t offset;
    size_t words_pushed;  // of the frame, return address included
    bool fp_is_callers;
  };
  const At all[] = {{0, 1, true},  {5, 1, true},   {12, 1, true},  {13, 2, true},
                    {17, 4, true}, {30, 4, false}, {60, 4, false}, {64, 2, false},
                    {65, 1, true}, {72, 1, true},  {78, 1, true}};
  for (const At& at : all) {
    constexpr size_t kEnd = 100;
    CalledFromEntry(kEnd);
    const uint64_t fp = at.fp_is_callers ? vm_.StackAddress(kEntry) : 0x1234;
    if (at.words_pushed == 1) vm_.Stack(kEnd - 2) = 0xdead;  // not pushed yet, or no more there
    const std::string walk = Walk(compiled_ + at.offset, kEnd - at.words_pushed, fp);
    EXPECT_EQ(walk, at.offset <= 50 ? "c2:a0:3 root" : "c2:a0:-1 root") << at.offset;
  }
}

TEST_F(VmWalkerTest, InlinedMethodsComeBeforeTheOneTheyAreInlinedInto) {
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

TEST_F(VmWalkerTest, AStaleReturnAddressIsPassedOver) {
  CalledFromEntry(104);
  vm_.Stack(92) = compiled_ + 50;  // four words on is no return address
  vm_.Stack(99) = compiled_ + 50;
  const uint64_t stub = vm_.AddStub("arraycopy", 0, Code({}, 64));
  EXPECT_EQ(Walk(stub + 8, 92, 0x1234), "stub c2:a0:3 root");
}

TEST_F(VmWalkerTest, ADeoptimisedFrameIsShownWhereItWouldHaveReturned) {
  CalledFromEntry(104);
  const uint64_t handler = compiled_ + 256 - 8;
  vm_.Stack(101) = compiled_ + 50;  // the original return address, in the frame
  vm_.Stack(99) = handler;
  const uint64_t stub = vm_.AddStub("stub", 0, Code({}, 64));
  EXPECT_EQ(Walk(stub + 8, 99, 0x1234), "stub c2:a0:3 root");
}

TEST_F(VmWalkerTest, NativeCodeWithoutTablesIsLeftByTheAnchor) {
  CalledFromEntry(104);
  vm_.SetAnchor(vm_.StackAddress(100), compiled_ + 50, 0);
  EXPECT_EQ(Walk(NativeCode(), 90, 0), "native c2:a0:3 root");
}

TEST_F(VmWalkerTest, TheFirstEntryOfAThreadIsItsRootAndALaterOneLeadsOn) {
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

TEST_F(VmWalkerTest, AFullSinkEndsTheWalk) {
  CalledFromEntry(100);
  vm_.SetAnchor(vm_.StackAddress(100), compiled_ + 50, 0);
  CalledFromEntry(104);
  room_ = 1;
  EXPECT_EQ(Walk(NativeCode(), 90, 0), "native full");
}

TEST_F(VmWalkerTest, GarbageIsABreakWithAReason) {
  EXPECT_EQ(Walk(compiled_ + 50, 96, 0), "c2:a0:3 [break: compiled frame] broken");
  EXPECT_EQ(Walk(vm_.layout().code_high - 1, 96, 0), "[break: unknown code] broken");
  EXPECT_EQ(Walk(NativeCode(), 90, vm_.StackAddress(3)), "native [no Java frame] broken");
}

}  // namespace
}  // namespace jprof
