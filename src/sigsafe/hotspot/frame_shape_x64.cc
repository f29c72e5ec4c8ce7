// The shapes of frames on x86-64, including frames that are just being set up or removed.
//
// Compiled methods and wrappers of native methods begin and end with
//   [nop] [mov %eax, -N(%rsp)] push %rbp [mov %rsp, %rbp] sub $N, %rsp ...
//   ... add $N, %rsp | leave; pop %rbp; [poll] ret
// or begin with  sub $N, %rsp; mov %rbp, M(%rsp)  (jdk-17+35
// src/hotspot/cpu/x86/macroAssembler_x86.cpp, MacroAssembler::verified_entry;
// c1_MacroAssembler_x86.cpp, C1_MacroAssembler::build_frame).
#include <algorithm>
#include <initializer_list>

#include "sigsafe/base/check.h"
#include "sigsafe/hotspot/code_bytes_x64.h"
#include "sigsafe/hotspot/frame_shape.h"

namespace jprof {
namespace {

// The maximum number of instructions of a prologue that are decoded: more than any prologue has.
constexpr int kMaxPrologue = 8;

FrameShape Complete(const CodeBlob& blob) {
  return {static_cast<uint64_t>(blob.frame_size) * kWordSize, true};
}

constexpr FrameShape kOnlyReturnAddress{kWordSize, false};
constexpr FrameShape kReturnAddressAndFp{2 * kWordSize, true};

// Returns the address of the first push %rbp; mov %rsp, %rbp that begins in [begin, end); 0 if there is
// none. Each load has the four bytes of these instructions at five addresses.
uint64_t FirstSetup(uint64_t begin, uint64_t end) {
  constexpr uint64_t kPerLoad = sizeof(uint64_t) - 3;
  constexpr uint32_t kPushAndMove = 0xec8b4855;
  constexpr uint32_t kPushAndOtherMove = 0xe5894855;
  for (uint64_t at = begin; at < end; at += kPerLoad) {
    uint64_t word = 0;
    if (!GuardedLoad(at, &word)) return 0;
    for (uint64_t i = 0; i < kPerLoad && at + i < end; ++i, word >>= 8) {
      const auto code = static_cast<uint32_t>(word);
      if (code == kPushAndMove || code == kPushAndOtherMove) return at + i;
    }
  }
  return 0;
}

// True if a frame is set up between `pc` and the instruction at which the frame is complete. Wrappers
// of native methods can do other work before that: the wrapper of Object.hashCode reads the hash
// from the object and returns, if it is there (jdk-17+35
// src/hotspot/cpu/x86/sharedRuntime_x86_64.cpp, generate_native_wrapper).
bool SetsUpFrameAfter(const CodeBlob& blob, uint64_t pc) {
  constexpr uint64_t kMostBytes = 256;
  const uint64_t complete = blob.code_begin + static_cast<uint64_t>(blob.frame_complete);
  return FirstSetup(pc, std::min(complete, pc + kMostBytes)) != 0;
}

// Returns the number of bytes of the first instruction of a prologue, if the VM has replaced this
// instruction by a jump because the method is not to be entered any more; else 0. The jump has 5
// bytes. A probe of the stack's end has two more, which are the upper half of -N.
uint64_t ReplacedBytes(const CodeBytes& code) {
  if (!code.StartWith(0, 0xe9)) return 0;
  return code[5] >= 0xf0 && code[6] == 0xff ? 7 : 5;
}

// Returns the shape of the frame after the instructions from `entry` up to `pc`.
FrameShape ShapeInPrologue(const CodeBlob& blob, uint64_t entry, uint64_t pc) {
  FrameShape shape = kOnlyReturnAddress;
  uint64_t at = entry + ReplacedBytes(CodeBytes(entry));
  for (int i = 0; i < kMaxPrologue && at < pc; ++i) {
    const CodeBytes code(at);
    if (code.StartWith(0, 0x55)) {  // push %rbp
      shape = kReturnAddressAndFp;
      at += 1;
    } else if (code.StartWith(0, 0x48, 0x89, 0xe5) || code.StartWith(0, 0x48, 0x8b, 0xec)) {
      at += 3;  // mov %rsp, %rbp
    } else if (code.StartWith(0, 0x89, 0x84, 0x24)) {
      at += 7;  // mov %eax, disp32(%rsp), the probe of the stack's end
    } else if (code.StartWith(0, 0x0f, 0x1f, 0x44)) {
      at += 5;  // nop, to be patched
    } else if (code.StartWith(0, 0x48, 0x83, 0xec) || code.StartWith(0, 0x48, 0x81, 0xec)) {
      shape.size = static_cast<uint64_t>(blob.frame_size) * kWordSize;  // sub $imm, %rsp
      at += code[1] == 0x83 ? 4 : 7;
    } else if (SetsUpFramePointer(pc - 1) || SetsUpFramePointer(pc - 4)) {
      return kReturnAddressAndFp;
    } else {
      return SetsUpFrameAfter(blob, pc) ? kOnlyReturnAddress : Complete(blob);
    }
  }
  return shape;
}

// True if `code` is the poll for safepoints that comes between the removal of the frame and the
// return, or the check of the reserved zone of the stack, which methods with @ReservedStackAccess
// have there (jdk-17+35 src/hotspot/cpu/x86/macroAssembler_x86.cpp, reserved_stack_check).
bool IsPollBeforeReturn(const CodeBytes& code) {
  const bool cmp_rsp = code.StartWith(0, 0x49, 0x3b, 0xa7) || code.StartWith(0, 0x49, 0x3b, 0x67);
  if (cmp_rsp) {
    const int jump = code[2] == 0xa7 ? 7 : 4;
    return code.StartWith(jump, 0x0f, 0x87) || code.StartWith(jump, 0x0f, 0x82);
  }
  if (code.StartWith(0, 0x0f, 0x82)) return code.StartWith(6, 0x49, 0x8b, 0xff);  // jb; mov rdi
  if (code.StartWith(0, 0x0f, 0x87)) return code.StartWith(6, 0xc3);              // ja stub; ret
  if (code.StartWith(0, 0x85, 0x05)) return code.StartWith(6, 0xc3);        // test %eax, (%rip)
  if (code.StartWith(0, 0x41, 0x85, 0x02)) return code.StartWith(3, 0xc3);  // test %eax, (%r10)
  const bool load_r10 = code.StartWith(0, 0x4d, 0x8b, 0x97);
  return load_r10 && code.StartWith(7, 0x41, 0x85, 0x02) && code.StartWith(10, 0xc3);
}

// True in the code behind a method to which the poll before its return jumps: mov $pc, %r10 or lea
// pc(%rip), %r10; mov %r10, disp32(%r15); jmp stub (jdk-17+35 and jdk-21+35 src/hotspot/cpu/x86/,
// SafepointPollStub). `offset` is that of HotspotLayout::thread_polled_pc.
bool IsBehindPoll(uint64_t pc, uint64_t offset) {
  constexpr int kStoreSize = 7;
  const auto stores = [offset](uint64_t at) {
    const CodeBytes code(at);
    uint32_t stored_at = 0;
    return code.StartWith(0, 0x4d, 0x89, 0x97) && code.StartWith(kStoreSize, 0xe9) &&
           GuardedLoad(at + 3, &stored_at) && stored_at == offset;
  };
  const CodeBytes code(pc);
  if (code.StartWith(0, 0x49, 0xba)) return stores(pc + 10);
  if (code.StartWith(0, 0x4c, 0x8d, 0x15)) return stores(pc + 7);
  return stores(pc) || (code.StartWith(0, 0xe9) && stores(pc - kStoreSize));
}

}  // namespace

bool FollowsCall(uint64_t pc) {
  constexpr int kBefore = 7;
  const CodeBytes code(pc - kBefore);
  const auto is_indirect = [&](int back, uint8_t low, uint8_t high) {
    const uint8_t operand = code[kBefore - back + 1];
    return code.StartWith(kBefore - back, 0xff) && operand >= low && operand <= high;
  };
  return code.StartWith(kBefore - 5, 0xe8) ||  // call rel32
         is_indirect(2, 0xd0, 0xd7) ||         // call *%reg, with or without a prefix
         is_indirect(2, 0x10, 0x13) ||         // call *(%reg)
         is_indirect(3, 0x50, 0x57) ||         // call *disp8(%reg)
         is_indirect(6, 0x90, 0x97);           // call *disp32(%reg)
}

// Decodes `call rel32`, or C2's call to a stub: `mov $target, %r10; call *%r10` (jdk-17+35
// src/hotspot/cpu/x86/x86_64.ad, Java_To_Runtime).
uint64_t CallTarget(uint64_t pc) {
  constexpr uint64_t kSize = 5;
  constexpr uint64_t kRegisterSize = 13;
  int32_t distance = 0;
  uint64_t target = 0;
  const CodeBytes by_register(pc - kRegisterSize);
  if (by_register.StartWith(0, 0x49, 0xba) && by_register.StartWith(10, 0x41, 0xff, 0xd2)) {
    return GuardedLoad(pc - kRegisterSize + 2, &target) ? target : 0;
  }
  if (!CodeBytes(pc - kSize).StartWith(0, 0xe8) || !GuardedLoad(pc - sizeof distance, &distance)) {
    return 0;
  }
  return pc + static_cast<uint64_t>(int64_t{distance});
}

// JDK 25 has more instructions than those shown at PendingReturn. The first additional one marks
// the thread: movb $0, disp32(%r15). Before the jump, the code checks whether frames have to be
// repaired: cmp disp32(%r15), %rsp; jb; movq $0, disp32(%r15).
bool DecodePendingReturn(uint64_t pc, PendingReturn* to) {
  constexpr int kMarkSize = 8, kCompareSize = 7, kBranchSize = 2, kStoreSize = 11;
  const CodeBytes first(pc);
  uint64_t at = pc;
  if (first.StartWith(0, 0x41, 0xc6, 0x87) && first[7] == 0) at += kMarkSize;
  const DecodedRegister popped = OneRegister(CodeBytes(at), 0, 0x58);
  at += static_cast<uint64_t>(popped.length);
  const DecodedRegister sender = MovToSp(CodeBytes(at), 0);
  at += static_cast<uint64_t>(sender.length);
  if (CodeBytes(at).StartWith(0, 0x49, 0x3b, 0xa7)) at += kCompareSize;
  if (CodeBytes(at).StartWith(0, 0x72, kStoreSize)) at += kBranchSize;
  if (CodeBytes(at).StartWith(0, 0x49, 0xc7, 0x87)) at += kStoreSize;
  const DecodedRegister jump = JumpRegister(CodeBytes(at), 0);
  if (jump.length == 0 || (popped.length != 0 && popped.number != jump.number)) return false;
  if (popped.length != 0 && sender.length == 0) return false;
  *to = {popped.length != 0, jump.number, sender.length == 0, sender.number};
  return true;
}

namespace {

// True if `blob` starts with push %rdx; sub $imm8, %rsp.
bool PushesReturn(const CodeBlob& blob) {
  const CodeBytes code(blob.code_begin);
  return code.StartWith(0, 0x52, 0x48) && code.StartWith(2, 0x83, 0xec);
}

// True at the last instructions of C2's stub for exceptions: [mov %rax, %r8; mov disp32(%r15), %rax;
// mov disp32(%r15), %rdx; movq $0, disp32(%r15);] jmp *%r8.
bool JumpsToHandler(uint64_t pc) {
  constexpr int kMost = 8;
  for (int i = 0; i < kMost; ++i) {
    const CodeBytes code(pc);
    if (code.StartWith(0, 0x41, 0xff, 0xe0)) return true;
    if (code.StartWith(0, 0x4c, 0x8b, 0xc0) || code.StartWith(0, 0x49, 0x89, 0xc0)) {
      pc += 3;
    } else if (code.StartWith(0, 0x49, 0x8b, 0x87) || code.StartWith(0, 0x49, 0x8b, 0x97)) {
      pc += 7;
    } else if (code.StartWith(0, 0x49, 0xc7, 0x87)) {
      pc += 11;
    } else {
      return false;
    }
  }
  return false;
}

// True if the code at `pc` is pop reg; jmp *reg.
bool PopsJumpTarget(uint64_t pc) {
  const CodeBytes code(pc);
  const DecodedRegister popped = OneRegister(code, 0, 0x58);
  const DecodedRegister jump = JumpRegister(code, popped.length);
  return popped.length != 0 && jump.length != 0 && popped.number == jump.number;
}

// True if the code at `pc` is pop %rdx; jmp *reg, by which C2's stub that throws an exception again
// leaves for the handler (jdk-21+35 src/hotspot/cpu/x86/x86_64.ad, tailjmpInd).
bool PopsReturnBeforeJump(uint64_t pc) {
  const CodeBytes code(pc);
  return code.StartWith(0, 0x5a) && JumpRegister(code, 1).length != 0;
}

}  // namespace

int WordsBelowReturn(const CodeBlob& blob, uint64_t pc) {
  if (pc == blob.code_begin || (pc == blob.code_begin + 1 && PushesReturn(blob))) return 0;
  const CodeBytes code(pc);
  if (SetsUpFramePointer(pc)) return 0;
  if (pc - 1 >= blob.code_begin && SetsUpFramePointer(pc - 1)) return 1;
  if (code.StartWith(0, 0xc3) || JumpRegister(code, 0).length != 0) return 0;
  if (PopsJumpTarget(pc)) return 0;
  const bool pops_rdx = code.StartWith(0, 0x5a);
  if (pops_rdx && PushesReturn(blob) && JumpsToHandler(pc + 1)) return 0;
  if (PopsReturnBeforeJump(pc)) return 0;
  const bool leaves = code.StartWith(0, 0x5d) && (code[1] == 0xc3 || PopsReturnBeforeJump(pc + 1) ||
                                                  JumpRegister(code, 1).length != 0);
  return leaves ? 1 : -1;
}

bool IsEndOfThaw(uint64_t pc, uint8_t* number) {
  constexpr uint8_t kRbx = 3, kRsp = 7;
  const CodeBytes code(pc);
  const bool moves = code.StartWith(0, 0x48, 0x8b, 0xe3) || code.StartWith(0, 0x48, 0x89, 0xdc);
  const int at = moves ? 3 : 0;
  *number = moves ? kRbx : kRsp;
  return code.StartWith(at, 0x48, 0x83, 0xec) && code.StartWith(at + 3, 0x10, 0x5d, 0xc3);
}

// The stub begins with push %rbx; push %rbp; mov %rsp, %rbp.
bool FindPolledFrame(const CodeBlob& blob, uint64_t pc, uint64_t* sp, uint64_t* fp) {
  constexpr uint64_t kWithFramePointer = 2;
  const uint64_t pushed = pc - blob.code_begin;  // each push has one byte
  const bool is_stub =
      CodeBytes(blob.code_begin).StartWith(0, 0x53) && SetsUpFramePointer(blob.code_begin + 1);
  if (!is_stub || pushed > kWithFramePointer) return false;
  if (pushed == kWithFramePointer && !GuardedLoad(*sp, fp)) return false;
  *sp += pushed * kWordSize;
  return true;
}

// The code before `pc` is pop %rbp, and at `pc` is jmp rel32.
uint64_t TailJumpTarget(const CodeBlob& blob, uint64_t pc) {
  constexpr int kJumpSize = 5;
  int32_t distance = 0;
  if (pc == blob.code_begin || !CodeBytes(pc - 1).StartWith(0, 0x5d, 0xe9) ||
      !GuardedLoad(pc + 1, &distance)) {
    return 0;
  }
  const uint64_t target = pc + kJumpSize + static_cast<uint64_t>(int64_t{distance});
  return target - blob.code_begin < blob.code_end - blob.code_begin ? 0 : target;
}

bool NotesSenderLater(const CodeBlob& adapter, uint64_t pc) {
  constexpr uint64_t kMostBytes = 2048;  // twice the length of an adapter
  const uint64_t end = std::min(adapter.code_end, pc + kMostBytes);
  for (uint64_t at = pc; at < end; ++at) {
    const CodeBytes code(at);
    const bool is_lea = code.StartWith(0, 0x4c, 0x8d, 0x6c) && code.StartWith(3, 0x24, 0x08);
    const bool is_mov = code.StartWith(0, 0x4c, 0x8b, 0xec) || code.StartWith(0, 0x49, 0x89, 0xe5);
    if (is_lea || is_mov) return true;  // lea 8(%rsp), %r13; mov %rsp, %r13
  }
  return false;
}

// The trampoline is mov $method, %rbx; jmp entry.
bool IsCallTrampoline(uint64_t pc) {
  constexpr uint64_t kLoadSize = 10;
  uint8_t first = 0;
  if (GuardedLoad(pc, &first) && first == 0xe9) pc -= kLoadSize;
  return CodeBytes(pc).StartWith(0, 0x48, 0xbb) && CodeBytes(pc).StartWith(kLoadSize, 0xe9);
}

uint64_t JumpTarget(uint64_t pc) {
  constexpr uint64_t kLoadSize = 10;
  uint64_t target = 0;
  const CodeBytes code(pc);
  if (code.StartWith(0, 0x41, 0xff, 0xe2)) pc -= kLoadSize;  // jmp *%r10
  const CodeBytes load(pc);
  const bool jumps = load.StartWith(0, 0x49, 0xba) && load.StartWith(kLoadSize, 0x41, 0xff, 0xe2);
  return jumps && GuardedLoad(pc + 2, &target) ? target : 0;  // mov $target, %r10
}

// The code at `pc` is [vzeroupper;] fxrstor64 (%rsp); add $imm32, %rsp.
uint64_t SavedVectorBytes(uint64_t pc) {
  constexpr int kVzeroupperSize = 3;
  constexpr int kFxrstorSize = 5;
  if (CodeBytes(pc).StartWith(0, 0xc5, 0xf8, 0x77)) pc += kVzeroupperSize;
  const CodeBytes code(pc);
  uint32_t bytes = 0;
  const bool restores = code.StartWith(0, 0x48, 0x0f, 0xae) && code.StartWith(3, 0x0c, 0x24) &&
                        code.StartWith(kFxrstorSize, 0x48, 0x81, 0xc4);
  return restores && GuardedLoad(pc + kFxrstorSize + 3, &bytes) ? bytes : 0;
}

namespace {

// True if the code before `pc` has saved all general registers (jdk8u402-b06
// hotspot/src/cpu/x86/vm/macroAssembler_x86.cpp, pusha).
bool FollowsPusha(uint64_t pc) {
  constexpr uint64_t kMostBytes = 1024;  // more than the code from the start of pusha to `pc` has
  constexpr uint64_t kBegin = 0xec8148d824648948;  // mov %rsp, -40(%rsp); sub $imm32, %rsp
  for (uint64_t at = pc - sizeof kBegin; at > pc - kMostBytes; --at) {
    uint64_t word = 0;
    if (!GuardedLoad(at, &word)) return false;
    if (word == kBegin) return true;
  }
  return false;
}

}  // namespace

// The method has pushed the general registers first, and among them the stack pointer's value from
// before the push. Below them are the halves of vector registers, then arguments and a word for
// alignment (jdk8u402-b06 hotspot/src/cpu/x86/vm/macroAssembler_x86.cpp, fp_runtime_fallback).
int SavedRegisterWords(uint64_t pc, uint64_t sp) {
  constexpr int kGeneral = 16;
  constexpr int kStackPointer = 11;
  constexpr int kVectorHalves = 32;
  constexpr int kMostArguments = 3;
  for (int vectors = 0; vectors <= 2 * kVectorHalves; vectors += kVectorHalves) {
    for (int below = vectors; below <= vectors + kMostArguments; ++below) {
      uint64_t saved = 0;
      const bool is_saved = GuardedLoad(Slot(sp, below + kStackPointer), &saved) &&
                            saved == Slot(sp, below + kGeneral);
      if (is_saved && FollowsPusha(pc)) return below + kGeneral;
    }
  }
  return 0;
}

// Decodes [add $8, %rsp; jmp over the other call;] mov %rax, %rbx; [mov %r14, %rax;] and pops, one of
// them to %rdx. The stack pointer was lowered if it was not aligned.
bool DecodePendingThrow(uint64_t pc, PendingThrow* to) {
  constexpr int kPopRax = 0x58, kPopRdx = 0x5a, kPopRbp = 0x5d;
  const CodeBytes call(pc);
  *to = {-1, -1, 0};
  if (call.StartWith(0, 0x48, 0x83, 0xc4) && call.StartWith(3, 0x08)) {
    to->words = 1;
    if (call.StartWith(4, 0xeb)) {
      pc += 6 + call[5];
    } else if (call.StartWith(4, 0xe9) && call.StartWith(6, 0, 0, 0)) {
      pc += 9 + call[5];
    }
  }
  const CodeBytes code(pc);
  int at = 3;
  if (!code.StartWith(0, 0x48, 0x8b, 0xd8) && !code.StartWith(0, 0x48, 0x89, 0xc3)) return false;
  if (code.StartWith(at, 0x49, 0x8b, 0xc6) || code.StartWith(at, 0x4c, 0x89, 0xf0)) at += 3;
  for (; code[at] == kPopRax || code[at] == kPopRdx || code[at] == kPopRbp; ++at, ++to->words) {
    if (code[at] == kPopRdx) to->return_slot = to->words;
    if (code[at] == kPopRbp) to->fp_slot = to->words;
    constexpr int kEnd = 12;  // more bytes than all of these instructions have
    if (at == kEnd) return false;
  }
  return to->return_slot >= 0;
}

bool HasReturnInRegister(const HotspotLayout&, const CodeBlob& blob, uint64_t pc, uint8_t* number,
                         uint64_t* bytes) {
  constexpr uint8_t kRdx = 1;
  *bytes = 0;
  if (pc - 1 >= blob.code_begin && pc - 1 < pc && PopsJumpTarget(pc - 1)) {
    *number = JumpRegister(CodeBytes(pc), 0).number;
    return true;
  }
  *number = kRdx;
  if (pc != blob.code_begin && PopsReturnBeforeJump(pc - 1)) return true;
  return PushesReturn(blob) && (pc == blob.code_begin || JumpsToHandler(pc));
}

bool LoadsStackPointer(uint64_t pc, uint32_t offset) {
  uint64_t code = 0;  // mov offset(%r15), %rsp
  return GuardedLoad(pc, &code) && (code & 0xffffff) == 0xa78b49 &&
         static_cast<uint32_t>(code >> 24) == offset;
}

bool SetsUpFramePointer(uint64_t entry) {
  // [mov reg, reg;] push %rbp; mov %rsp, %rbp. The stubs that fill arrays copy an argument first
  // (jdk-25+36 src/hotspot/cpu/x86/stubGenerator_x86_64.cpp, generate_fill).
  const CodeBytes code(entry);
  const bool moves = (code[0] & 0xfa) == 0x48 && code[1] == 0x8b && code[2] >= 0xc0;
  const int at = moves ? 3 : 0;
  return code.StartWith(at, 0x55, 0x48) &&
         (code.StartWith(at + 2, 0x8b, 0xec) || code.StartWith(at + 2, 0x89, 0xe5));
}

bool IsBeforeFrame(const CodeBlob& blob, uint64_t pc) {
  constexpr uint64_t kMostBytes = 1024;
  if (blob.frame_size <= 0 || SetsUpFramePointer(blob.code_begin)) return false;
  const uint64_t end = std::min(blob.code_end, blob.code_begin + kMostBytes);
  const uint64_t setup = FirstSetup(blob.code_begin, end);
  return setup != 0 && pc <= setup;
}

FrameShape ShapeAt(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc) {
  JPROF_CHECK(pc - blob.code_begin < blob.code_end - blob.code_begin);
  const CodeBytes code(pc);
  // The compiled linkers of method handles (MethodHandle.linkTo...) have no frame.
  if (blob.is_nmethod && blob.frame_size == 0) return kOnlyReturnAddress;
  if (code.StartWith(0, 0xc3) || code.StartWith(0, 0xc2) || IsPollBeforeReturn(code)) {
    return kOnlyReturnAddress;
  }
  if (blob.is_nmethod && vm.thread_polled_pc.exists() &&
      IsBehindPoll(pc, vm.thread_polled_pc.offset)) {
    return kOnlyReturnAddress;
  }
  if (code.StartWith(0, 0x5d)) return kReturnAddressAndFp;  // pop %rbp
  const auto offset = static_cast<int64_t>(pc - blob.code_begin);
  if (offset >= blob.frame_complete && blob.frame_complete >= 0) return Complete(blob);
  uint64_t entry = blob.code_begin;
  if (blob.is_nmethod && !vm.verified_entry.Find(blob.address, &entry)) return Complete(blob);
  if (blob.is_nmethod && !vm.verified_entry.pointer.exists()) {
    entry += blob.code_begin - blob.address;  // verified_entry is an offset from code_begin here
  }
  return ShapeInPrologue(blob, entry, pc);
}

}  // namespace jprof
