// VmWalkTest: the fixture of tests that walk a synthetic stack.
#pragma once

#include <gtest/gtest.h>
#include <sys/ucontext.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "sigsafe/hotspot/fake_vm.h"
#include "sigsafe/stack/frame.h"
#include "sigsafe/stack/vm_walker.h"

namespace jprof::test {

// Returns code of `size` bytes that starts with `bytes`. The rest are nops.
inline std::vector<uint8_t> Code(std::vector<uint8_t> bytes, size_t size = 256) {
  bytes.resize(size, 0x90);
  return bytes;
}

// Has a FakeVm with a compiled method, and an entry frame whose frame pointer is the address of
// word kEntry of the stack. Tests lay out their frames in words from 64 on.
class VmWalkTest : public testing::Test {
 protected:
  static constexpr size_t kEntry = 400;

  VmWalkTest() {
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

  // Makes a frame of the compiled method, called from the entry frame. The frame is below word
  // `end`, which is at the caller's stack pointer.
  void CalledFromEntry(size_t end) {
    vm_.Stack(end - 1) = vm_.layout().call_stub_return;
    vm_.Stack(end - 2) = vm_.StackAddress(kEntry);
  }

  // Makes the frame of an interpreted method that the entry frame has called, with the frame pointer
  // at word `fp`. The method has the class number 0xC0, and runs its bytecode 4.
  void InterpretedFromEntry(size_t fp) {
    const uint64_t method = vm_.AddMethod(0xC0, 30);
    vm_.Stack(fp) = vm_.StackAddress(kEntry);
    vm_.Stack(fp + 1) = vm_.layout().call_stub_return;
    vm_.Stack(fp - 1) = vm_.StackAddress(fp + 2);
    vm_.Stack(fp - 3) = method;
    vm_.Stack(fp - 8) = vm_.BytecodesOf(method) + 4;
    vm_.Stack(fp - 9) = vm_.StackAddress(fp - 9);
  }

  // Makes the frame of the compiled method that ends below word `end`, called from the interpreted
  // frame with the frame pointer at word `fp`.
  void CalledFromInterpreted(size_t end, size_t fp) {
    vm_.Stack(end - 1) = vm_.interpreter();
    vm_.Stack(end - 2) = vm_.StackAddress(fp);
  }

  // Writes `bytes` over generated code.
  static void PutCode(uint64_t at, const std::vector<uint8_t>& bytes) {
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<uint8_t*>(at));
  }

  std::string Walk(uint64_t pc, size_t sp, uint64_t fp, StackMode mode = StackMode::kVm) {
    WalkStart start{};
    const ucontext_t interrupted = Interrupted(pc, sp, fp);
    EXPECT_TRUE(StartAtSignal(vm_.layout(), vm_.java_thread(), &interrupted, &start));
    return WalkFrom(start, mode);
  }

  // Returns the registers of a thread that was interrupted at `pc`.
  ucontext_t Interrupted(uint64_t pc, size_t sp, uint64_t fp) const {
    ucontext_t context{};
#ifdef __x86_64__
    context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(pc);
    context.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(vm_.StackAddress(sp));
    context.uc_mcontext.gregs[REG_RBP] = static_cast<greg_t>(fp);
    context.uc_mcontext.gregs[REG_RAX] = static_cast<greg_t>(rax_);
    context.uc_mcontext.gregs[REG_RBX] = static_cast<greg_t>(rbx_);
    context.uc_mcontext.gregs[REG_RCX] = static_cast<greg_t>(rcx_);
    context.uc_mcontext.gregs[REG_RDX] = static_cast<greg_t>(rdx_);
    context.uc_mcontext.gregs[REG_R13] = static_cast<greg_t>(r13_);
#else
    context.uc_mcontext.pc = pc;
    context.uc_mcontext.sp = vm_.StackAddress(sp);
    context.uc_mcontext.regs[29] = fp;
#endif
    return context;
  }

  WalkContext ContextOf(const WalkStart& start, StackMode mode = StackMode::kVm) const {
    return {vm_.layout(), jprof::NativeCode::OfProcess(), mode, start.java_thread, start.stack};
  }

  std::string WalkFrom(const WalkStart& start, StackMode mode = StackMode::kVm) {
    Frame frames[64];
    FrameSink sink(frames, room_, 0);
    const WalkEnd end = WalkVmStack(ContextOf(start, mode), start, until_, &sink).end;
    std::string text;
    const uint32_t count = sink.Finish();
    for (uint32_t i = 0; i < count; ++i) text += TextOf(frames[i]) + " ";
    const char* ends[] = {"root", "mount", "full", "broken"};
    return text + ends[static_cast<int>(end)];
  }

  // Returns an address in readable memory that is not code generated by the VM.
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
             static_cast<unsigned long>(IsMethodId(frame.id) ? ClassNumberOf(frame.id) : frame.id),
             frame.bci);
    return text;
  }

  FakeVm vm_;
  uint64_t compiled_;
  uint64_t rax_ = 0;
  uint64_t rbx_ = 0;
  uint64_t rcx_ = 0;
  uint64_t rdx_ = 0;
  uint64_t r13_ = 0;
  uint32_t room_ = 64;
  WalkUntil until_ = WalkUntil::kThreadEntry;
};

}  // namespace jprof::test
