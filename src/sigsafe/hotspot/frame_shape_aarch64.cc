// The shapes of frames on AArch64, including frames that are just being set up or removed.
//
//   sub sp, sp, #N; stp x29, x30, [sp, #N-16] ... ldp x29, x30, [sp, #N-16]; add sp, sp, #N; [poll] ret
// or, in frames of more than 512 bytes,
//   stp x29, x30, [sp, #-16]!; sub sp, sp, #N-16 ... add sp, sp, #N-16; ldp x29, x30, [sp], #16; ret
// (jdk-17+35 and jdk-25+36 src/hotspot/cpu/aarch64/macroAssembler_aarch64.cpp,
// MacroAssembler::build_frame, remove_frame). Before the store of x30 and after the load, the return
// address is in the link register, x30.
#include <algorithm>

#include "sigsafe/base/check.h"
#include "sigsafe/hotspot/code_words_aarch64.h"
#include "sigsafe/hotspot/frame_shape.h"

namespace jprof {
namespace {

constexpr uint8_t kLinkNumber = 30;
constexpr uint64_t kFpAndLink = 16;  // bytes
// The maximum number of instructions between the removal of a frame and the return: more than a poll
// and the check of the reserved zone of the stack have.
constexpr int kMostBeforeReturn = 24;
// The maximum number of instructions of a prologue that are decoded.
constexpr uint64_t kMostPrologue = 128;
// The maximum number of instructions of a jump to a far target: adrp, add, br, or mov, movk, movk, br.
constexpr int kMostOfFarJump = 4;

// True if the code at `pc` has already removed the frame, or never has one, and returns. *bytes is
// then the number of bytes by which the code raises the stack pointer before.
bool ReturnsByLink(uint64_t pc, uint64_t* bytes) {
  int64_t raised = 0;
  for (int i = 0; i < kMostBeforeReturn; ++i, pc += kCodeWord) {
    const uint32_t word = CodeWordAt(pc);
    if (word == kRet) {
      *bytes = static_cast<uint64_t>(raised);
      return true;
    }
    const bool ends = word == 0 || RestoresFpAndLink(word) || SavesFpAndLink(word) ||
                      word == kMoveFpToSp || IsCallWord(word) || IsJumpWord(word) ||
                      IsRegisterJumpWord(word);
    const int64_t bytes_up = RaisedBytes(word);
    if (ends || bytes_up < 0) return false;
    raised += bytes_up;
  }
  return false;
}

// True in the code behind a method to which the poll before its return jumps: adr x8, #pc;
// str x8, [x28, #offset]; jump (jdk-17+35 src/hotspot/cpu/aarch64/c1_CodeStubs_aarch64.cpp,
// C1SafepointPollStub::emit_code). `offset` is that of HotspotLayout::thread_polled_pc.
bool IsBehindPoll(uint64_t pc, uint64_t offset) {
  const uint32_t store = 0xf9000388U | static_cast<uint32_t>(offset / kWordSize) << 10;
  const auto is_adr = [](uint32_t word) { return (word & 0x9f00001f) == 0x10000008; };
  if (is_adr(CodeWordAt(pc))) return CodeWordAt(pc + kCodeWord) == store;
  for (int i = 0; i < kMostOfFarJump; ++i, pc -= kCodeWord) {
    const uint32_t word = CodeWordAt(pc);
    if (word == store) return is_adr(CodeWordAt(pc - kCodeWord));
    if (i > 0 && (IsJumpWord(word) || IsRegisterJumpWord(word))) return false;
  }
  return false;
}

// True if the code just before `pc` has removed the frame, and a jump to other code follows.
bool JumpsWithoutFrame(const CodeBlob& blob, uint64_t pc) {
  uint64_t at = pc;
  for (int i = 0; i < kMostOfFarJump && at > blob.code_begin; ++i) {
    at -= kCodeWord;
    const uint32_t word = CodeWordAt(at);
    if (word == kPopFpAndLink) return true;
    if (RaisedBytes(word) > 0) return RestoresFpAndLink(CodeWordAt(at - kCodeWord));
    if (IsJumpWord(word) || IsRegisterJumpWord(word) || IsCallWord(word) || word == kRet)
      return false;
  }
  return false;
}

// The state of a frame after some instructions of its prologue.
struct Prologue {
  uint64_t lowered = 0;         // bytes by which the stack pointer was lowered
  bool has_saved_link = false;  // true if x29 and x30 are in the frame
};

Prologue AfterPrologue(uint64_t begin, uint64_t pc) {
  Prologue done;
  uint64_t end = std::min(pc, begin + kMostPrologue * kCodeWord);
  for (uint64_t at = begin; at < end; at += kCodeWord) {
    const uint32_t word = CodeWordAt(at);
    if (SavesFpAndLink(word)) done.has_saved_link = true;
    // sub sp, sp, x8, whose operand is the size of the rest of the frame
    constexpr uint32_t kSubRegister = 0xcb2863ff;
    if (word == kSubRegister) return {UINT64_MAX, done.has_saved_link};
    done.lowered -= static_cast<uint64_t>(std::min<int64_t>(RaisedBytes(word), 0));
  }
  return done;
}

bool IsIncomplete(const CodeBlob& blob, uint64_t pc) {
  return static_cast<int64_t>(pc - blob.code_begin) < blob.frame_complete;
}

}  // namespace

bool FollowsCall(uint64_t pc) { return IsCallWord(CodeWordAt(pc - kCodeWord)); }

// Decodes bl, also to a trampoline (ldr x8, #8; br x8, and the address), and a far call: adrp x8, add
// x8, blr x8, or mov, movk, movk, blr.
uint64_t CallTarget(uint64_t pc) {
  constexpr uint32_t kLoadX8 = 0x58000048;
  constexpr uint32_t kJumpX8 = 0xd61f0100;
  const uint32_t call = CodeWordAt(pc - kCodeWord);
  if ((call & 0xfc000000) == 0x94000000) {
    const uint64_t target = BranchTarget(pc - kCodeWord, call);
    uint64_t beyond = 0;
    const bool is_trampoline =
        CodeWordAt(target) == kLoadX8 && CodeWordAt(target + kCodeWord) == kJumpX8;
    return is_trampoline && GuardedLoad(target + 2 * kCodeWord, &beyond) ? beyond : target;
  }
  if (!IsCallWord(call)) return 0;
  if (const uint64_t target = PageAddress(pc - 3 * kCodeWord); target != 0) return target;
  uint64_t target = 0;
  for (uint64_t i = 0; i < 3; ++i) {
    const uint32_t move = CodeWordAt(pc - (4 - i) * kCodeWord);
    const uint32_t kind = i == 0 ? 0xd2800000 : 0xf2800000 | static_cast<uint32_t>(i) << 21;
    if ((move & 0xffe00000) != kind) return 0;
    target |= uint64_t{move >> 5 & 0xffff} << (16 * i);
  }
  return target;
}

uint64_t JumpTarget(uint64_t) { return 0; }

uint64_t SavedVectorBytes(uint64_t) { return 0; }

// The interpreter leaves a method by  mov x20, x9; ldp x29, x30, [sp], #16; and sp, x20, #-16; ret  in
// JDK 17, and by  ldp x29, x30, [sp], #16; mov x20, x9; and sp, x20, #-16; ret  later. JDK 25 has a
// store among these instructions (jdk-17+35 and jdk-25+36
// src/hotspot/cpu/aarch64/interp_masm_aarch64.cpp, remove_activation).
bool DecodePendingReturn(uint64_t pc, PendingReturn* to) {
  constexpr uint32_t kAlignSp = 0x927cee9f;     // and sp, x20, #-16
  constexpr uint32_t kMoveSender = 0xaa0903f4;  // mov x20, x9
  constexpr uint8_t kSender = 20, kMovedSender = 9;
  constexpr int kMost = 6;
  PendingReturn pending{false, kLinkNumber, true, 0};
  for (int i = 0; i < kMost; ++i, pc += kCodeWord) {
    const uint32_t word = CodeWordAt(pc);
    if (word == kRet) {
      *to = pending;
      return true;
    }
    if (word == kMoveSender) {
      pending.sender_is_sp = false;
      pending.sender_register = kMovedSender;
    } else if (word == kAlignSp) {
      if (pending.sender_is_sp) pending = {false, kLinkNumber, false, kSender};
    } else if (RestoresFpAndLink(word) || word == kMoveFpToSp || IsCallWord(word) ||
               IsJumpWord(word) || IsRegisterJumpWord(word)) {
      return false;
    }
  }
  return false;
}

int WordsBelowReturn(const CodeBlob& blob, uint64_t pc) {
  if (pc - kCodeWord >= blob.code_begin && CodeWordAt(pc - kCodeWord) == kPushFpAndLink) return 1;
  return CodeWordAt(pc) == kPopFpAndLink ? 1 : -1;
}

bool IsBeforeFrame(const CodeBlob&, uint64_t) { return false; }

bool IsEndOfThaw(uint64_t, uint8_t*) { return false; }

// The stub begins with stp x29, x30, [sp, #-16]!; mov x29, sp. Then it saves all registers, and stores
// the pc of the poll as its return address: str x20, [x29, #8].
bool FindPolledFrame(const CodeBlob& blob, uint64_t pc, uint64_t* sp, uint64_t* fp) {
  constexpr uint32_t kStoreReturn = 0xf90007b4;
  constexpr uint64_t kMostBytes = 512;
  if (!SetsUpFramePointer(blob.code_begin) || pc - blob.code_begin > kMostBytes) return false;
  const uint64_t end = std::min(blob.code_end, blob.code_begin + kMostBytes);
  uint64_t store = blob.code_begin;
  while (store < end && CodeWordAt(store) != kStoreReturn) store += kCodeWord;
  if (store >= end || pc > store) return false;
  if (pc == blob.code_begin) return true;
  const uint64_t saved = pc == blob.code_begin + kCodeWord ? *sp : *fp;
  if (!GuardedLoad(saved, fp)) return false;
  *sp = saved + kFpAndLink;
  return true;
}

uint64_t TailJumpTarget(const CodeBlob&, uint64_t) { return 0; }

// True if the adapter notes the stack pointer in x13 (before JDK 20) or x19 at or after `pc`.
bool NotesSenderLater(const CodeBlob& adapter, uint64_t pc) {
  constexpr uint32_t kMoveToX13 = 0x910003ed, kMoveToX19 = 0x910003f3;
  constexpr uint64_t kMostBytes = 2048;
  const uint64_t end = std::min(adapter.code_end, pc + kMostBytes);
  for (uint64_t at = pc; at < end; at += kCodeWord) {
    const uint32_t word = CodeWordAt(at);
    if (word == kMoveToX13 || word == kMoveToX19) return true;
  }
  return false;
}

bool IsCallTrampoline(uint64_t) { return false; }

int SavedRegisterWords(uint64_t, uint64_t) { return 0; }

// The interpreter and C1's stub unwind_exception push the return address with the exception. After the
// call they restore the registers that it needs, by ldp x8, x12, [sp], #16, and pop both by
// ldp x0, x30, [sp], #16 or ldp x30, reg, [sp], #16 (jdk-17+35
// src/hotspot/cpu/aarch64/templateInterpreterGenerator_aarch64.cpp, generate_throw_exception, and
// c1_Runtime1_aarch64.cpp, generate_unwind_exception).
bool DecodePendingThrow(uint64_t pc, PendingThrow* to) {
  constexpr uint32_t kPopLinkFirst = 0xa8c103fe, kPopLinkSecond = 0xa8c17be0;
  constexpr uint32_t kPopOther = 0xa8c133e8;
  constexpr int kMost = 4;
  int words = 0;
  for (int i = 0; i < kMost; ++i, pc += kCodeWord) {
    const uint32_t word = CodeWordAt(pc);
    const bool is_first = (word & 0xffff83ff) == kPopLinkFirst;
    if (is_first || word == kPopLinkSecond) {
      *to = {words + (is_first ? 0 : 1), -1, words + 2};
      return true;
    }
    if (word == kPopOther) words += 2;
  }
  return false;
}

namespace {

// Returns the number of bytes that a stub without a frame has on the stack at `pc`; -1 if it has made a
// frame or a call before. What a path to a return has popped is there again behind that return. C1's
// slow_subtype_check is such a stub (jdk-25+36 src/hotspot/cpu/aarch64/c1_Runtime1_aarch64.cpp).
int64_t BytesOfFramelessStub(const CodeBlob& stub, uint64_t pc) {
  int64_t bytes = 0;
  int64_t before_pops = 0;
  bool pops = false;
  if (pc - stub.code_begin > kMostPrologue * kCodeWord) return -1;
  for (uint64_t at = stub.code_begin; at < pc; at += kCodeWord) {
    const uint32_t word = CodeWordAt(at);
    if (SavesFpAndLink(word) || IsCallWord(word)) return -1;
    const int64_t raised = RaisedBytes(word);
    if (raised > 0 && !pops) before_pops = bytes;
    pops = raised > 0;
    bytes = word == kRet ? before_pops : bytes - raised;
    if (word == kRet || !pops) before_pops = bytes;
  }
  return bytes;
}

}  // namespace

bool HasReturnInRegister(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc,
                         uint8_t* number, uint64_t* bytes) {
  *number = kLinkNumber;
  *bytes = 0;
  if (pc % kCodeWord != 0) return false;
  if (blob.is_nmethod && blob.frame_size == 0) return true;
  if (ReturnsByLink(pc, bytes)) return true;
  *bytes = 0;
  if (blob.is_nmethod && vm.thread_polled_pc.exists() &&
      IsBehindPoll(pc, vm.thread_polled_pc.offset)) {
    return true;
  }
  if (JumpsWithoutFrame(blob, pc)) return true;
  if (pc == blob.code_begin || CodeWordAt(pc) == kPushFpAndLink) return true;
  if (!blob.is_nmethod && blob.frame_size < 0) {
    const int64_t on_stack = BytesOfFramelessStub(blob, pc);
    *bytes = static_cast<uint64_t>(std::max<int64_t>(on_stack, 0));
    return on_stack >= 0;
  }
  if (!IsIncomplete(blob, pc)) return false;
  const Prologue done = AfterPrologue(blob.code_begin, pc);
  *bytes = done.lowered;
  return !done.has_saved_link;
}

bool LoadsStackPointer(uint64_t pc, uint32_t offset) {
  constexpr uint64_t kMoveX8ToSp = 0x9100011f;
  constexpr uint64_t kLoadX8FromX28 = 0xf9400388;  // the offset is in bits 10 to 21, in words
  uint64_t code = 0;                               // ldr x8, [x28, #offset]; mov sp, x8
  return pc % sizeof(uint32_t) == 0 && GuardedLoad(pc, &code) &&
         code == (kMoveX8ToSp << 32 | kLoadX8FromX28 | uint64_t{offset / kWordSize} << 10);
}

bool SetsUpFramePointer(uint64_t entry) {
  constexpr uint64_t kEnter = 0x910003fda9bf7bfd;  // stp x29, x30, [sp, #-16]!; mov x29, sp
  uint64_t code = 0;
  return GuardedLoad(entry, &code) && code == kEnter;
}

FrameShape ShapeAt(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc) {
  JPROF_CHECK(pc - blob.code_begin < blob.code_end - blob.code_begin);
  uint8_t number = 0;
  uint64_t bytes = 0;
  if (HasReturnInRegister(vm, blob, pc, &number, &bytes)) return {0, false};
  if (CodeWordAt(pc) == kPopFpAndLink) return {kFpAndLink, true};
  if (IsIncomplete(blob, pc)) {
    const Prologue done = AfterPrologue(blob.code_begin, pc);
    if (done.lowered == kFpAndLink) return {kFpAndLink, true};
  }
  return {static_cast<uint64_t>(blob.frame_size) * kWordSize, true};
}

}  // namespace jprof
