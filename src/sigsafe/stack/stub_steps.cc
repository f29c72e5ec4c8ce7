#include "sigsafe/stack/stub_steps.h"

#include "sigsafe/hotspot/frame_shape.h"
#include "sigsafe/hotspot/java_method.h"
#include "sigsafe/native/native_code.h"

namespace jprof {
namespace {

// How far up code without a frame pointer may have moved the stack pointer.
constexpr int kMaxSearchedWords = 32;
// How far up the return address may be where all registers were saved to call the VM (jdk-25+36
// src/hotspot/cpu/x86/sharedRuntime_x86_64.cpp, patch_callers_callsite: 83 words). The stack
// pointer from before is one of them.
constexpr int kMaxSavedWords = 96;
// A stub that calls the VM may lower its stack pointer so that it is aligned.
constexpr int kAlignmentWords = 1;
// Registers that an adapter pushes below the vector registers (jdk-17+35
// src/hotspot/cpu/x86/macroAssembler_x86.cpp, push_IU_state).
constexpr int kSavedRegisters = 16;
constexpr uint64_t kEntryBarrierCookie = UINT64_MAX;
// Bytes of the call stub in front of where Java returns to it, and behind: more than it has.
constexpr uint64_t kCallStubBytes = 512;

// Whether the frame pointer is that of an interpreted frame which is at one of its bytecodes.
bool IsAtBytecode(const WalkGround& ground, const StackCursor& cursor) {
  uint64_t bcp = 0;
  JavaMethod java;
  if (!LoadInterpretedMethod(ground, cursor, &java)) return false;
  return java.is_native || (GuardedLoad(Slot(cursor.fp, ground.vm.interpreter_bcp_slot), &bcp) &&
                            BytecodeIndexOf(ground.vm, java, bcp) >= 0);
}

// Whether a call in code of a library returns to `pc`.
bool IsNativeReturn(uint64_t pc) { return NativeCode::OfProcess().FindRule(pc - 1) != nullptr; }

// Whether the frame pointer can be one that the code at `cursor` has set up itself. Code without
// one still has that of an interpreted frame or of an entry, further up.
bool MayOwnFramePointer(const WalkGround& ground, const StackCursor& cursor) {
  return ground.IsAtOrAbove(cursor.sp, cursor.fp) && !IsAtBytecode(ground, cursor) &&
         !HasEntryFrame(ground, cursor);
}

// Whether a caller at `cursor` looks right: it has a caller, too.
bool IsPlausible(const WalkGround& ground, const StackCursor& cursor) {
  uint64_t word = 0;
  if (!IsJavaReturn(ground.vm, cursor.pc)) return false;
  if (IsInterpreterCode(ground.vm, cursor.pc)) return IsAtBytecode(ground, cursor);
  if (cursor.pc == ground.vm.call_stub_return) return HasEntryWrapper(ground, cursor.fp, &word);
  CodeBlob blob;
  if (!FindCodeBlob(ground.vm, cursor.pc, &blob)) return false;
  if (IsReturnBarrier(ground.vm, blob, cursor.pc)) return true;
  CompiledScopes scopes;
  const bool is_leaf_call =
      blob.is_nmethod &&
      CompiledScopes::Find(ground.vm, blob, cursor.pc, PcMeaning::kReturn, &scopes) &&
      !scopes.exact();
  const int most_pushed = is_leaf_call ? kMaxPushedWords : 0;
  for (int pushed = 0; pushed <= most_pushed; ++pushed) {
    const uint64_t sp = Slot(cursor.sp, blob.frame_size + pushed);
    if (ground.IsAbove(cursor.sp, sp) && LoadReturnBelow(sp, &word) &&
        IsJavaReturn(ground.vm, word)) {
      return true;
    }
  }
  return false;
}

bool MoveIfPlausible(const WalkGround& ground, const StackCursor& to, StackCursor* cursor) {
  if (to.sp < cursor->sp || to.sp >= ground.bounds.high || !IsPlausible(ground, to)) return false;
  *cursor = to;
  return true;
}

// To the caller whose return address lies below `sp`.
bool MoveIfPlausible(const WalkGround& ground, uint64_t sp, uint64_t fp, StackCursor* cursor) {
  uint64_t pc = 0;
  return LoadReturnBelow(sp, &pc) &&
         MoveIfPlausible(ground, {pc, sp, fp, PcMeaning::kReturn}, cursor);
}

// To the caller whose return address a word among the saved registers points at.
bool MoveBySavedStackPointer(const WalkGround& ground, StackCursor* cursor) {
  const uint64_t near = Slot(cursor->sp, kMaxSearchedWords);
  const uint64_t far = Slot(cursor->sp, kMaxSavedWords);
  for (int i = 0; i < kMaxSavedWords; ++i) {
    uint64_t saved = 0;
    if (!GuardedLoad(Slot(cursor->sp, i), &saved)) return false;
    if (saved < near || saved > far || saved % kWordSize != 0) continue;
    if (MoveIfPlausible(ground, Slot(saved, 1), cursor->fp, cursor)) return true;
  }
  return false;
}

// A stub that forwards an exception has put the place of the handler where its return address was
// (jdk-17+35 src/hotspot/cpu/x86/c1_Runtime1_x86.cpp, generate_handle_exception).
bool MoveToExceptionHandler(const WalkGround& ground, const StackCursor& to, StackCursor* cursor) {
  CodeBlob blob;
  uint64_t pc = 0;
  if (!FindCodeBlob(ground.vm, to.pc, &blob) || !blob.is_nmethod ||
      !LoadReturnBelow(Slot(to.sp, blob.frame_size), &pc) || !IsJavaReturn(ground.vm, pc)) {
    return false;
  }
  *cursor = to;
  return true;
}

}  // namespace

bool ToCallerNearby(const WalkGround& ground, const InterruptedRegisters& registers, FpOwner whose,
                    StackCursor* cursor) {
  const uint64_t sp = cursor->sp;
  const uint64_t fp = cursor->fp;
  // The return address: on top of the stack, in front of a frame or behind it; above the frame
  // pointer; in a register, where the interpreter makes room for a method's frame.
  uint64_t on_top = 0;
  uint64_t above_fp = 0;
  uint64_t saved_fp = 0;
  static_cast<void>(GuardedLoad(sp, &on_top));
  const bool has_fp = whose == FpOwner::kPerhapsOwn && MayOwnFramePointer(ground, *cursor) &&
                      GuardedLoad(Slot(fp, kReturnSlot), &above_fp) && GuardedLoad(fp, &saved_fp);
  // The interpreter says where its caller's stack ended; an adapter, while it calls the VM, where
  // its return address is.
  if (const uint64_t sender = registers.sender_sp; ground.IsAtOrAbove(sp, sender)) {
    uint64_t at_sender = 0;
    uint64_t noted_sender = 0;
    static_cast<void>(GuardedLoad(sender, &at_sender));
    if (has_fp) static_cast<void>(GuardedLoad(Slot(fp, kSenderSpSlot), &noted_sender));
    const StackCursor candidates[] = {{on_top, sender, fp, PcMeaning::kReturn},
                                      {registers.return_address, sender, fp, PcMeaning::kReturn},
                                      {above_fp, sender, saved_fp, PcMeaning::kReturn},
                                      {above_fp, noted_sender, saved_fp, PcMeaning::kReturn},
                                      {at_sender, Slot(sender, 1), fp, PcMeaning::kReturn}};
    for (const StackCursor& candidate : candidates) {
      if (MoveIfPlausible(ground, candidate, cursor)) return true;
    }
  }
  if (MoveIfPlausible(ground, Slot(sp, 1), fp, cursor)) return true;
  if (cursor->meaning != PcMeaning::kNext && MoveBySavedStackPointer(ground, cursor)) return true;
  // The entry barrier of a method has its return address above a cookie (jdk-17+35
  // src/hotspot/cpu/x86/stubGenerator_x86_64.cpp, generate_method_entry_barrier).
  const int return_slot = above_fp == kEntryBarrierCookie ? kReturnSlot + 1 : kReturnSlot;
  if (has_fp && MoveIfPlausible(ground, Slot(fp, return_slot + 1), saved_fp, cursor)) return true;
  return registers.return_address != 0 &&
         MoveIfPlausible(ground, {registers.return_address, sp, fp, PcMeaning::kReturn}, cursor);
}

bool ToUnknownCallerOfStub(const WalkGround& ground, StackCursor* cursor) {
  uint64_t pc = 0;
  if (!GuardedLoad(cursor->sp, &pc) || IsGeneratedCode(ground.vm, pc) || !FollowsCall(pc)) {
    return false;
  }
  *cursor = {pc, Slot(cursor->sp, 1), cursor->fp, PcMeaning::kReturn};
  return true;
}

// Behind `push %rbp` the caller's frame pointer is on top and in its register.
bool ToCallerBySearch(const WalkGround& ground, StackCursor* cursor) {
  for (int i = 2; i <= kMaxSearchedWords; ++i) {
    if (MoveIfPlausible(ground, Slot(cursor->sp, i), cursor->fp, cursor)) return true;
  }
  return false;
}

bool ToCallerOfFramedStub(const WalkGround& ground, const CodeBlob& blob, StackCursor* cursor) {
  const uint64_t sp = Slot(cursor->fp, kReturnSlot + 1);
  const bool fits =
      blob.frame_size <= 0 || sp <= Slot(cursor->sp, blob.frame_size + kAlignmentWords);
  uint64_t fp = 0;
  uint64_t pc = 0;
  if (!ground.IsAtOrAbove(cursor->sp, cursor->fp) || !fits || !GuardedLoad(cursor->fp, &fp) ||
      !LoadReturnBelow(sp, &pc)) {
    return false;
  }
  // While it makes interpreted frames of a compiled one, those above are not complete.
  if (cursor->meaning != PcMeaning::kNext && blob.frame_size > 0 &&
      IsGeneratedCode(ground.vm, pc)) {
    *cursor = {pc, sp, fp, PcMeaning::kReturn};
    return true;
  }
  if (!SetsUpFramePointer(blob)) return false;
  return MoveIfPlausible(ground, sp, fp, cursor) ||
         MoveToExceptionHandler(ground, {pc, sp, fp, PcMeaning::kLeafReturn}, cursor);
}

bool ToCallerOfAdapter(const WalkGround& ground, StackCursor* cursor) {
  const uint64_t saved = SavedVectorBytes(cursor->pc);
  StackCursor above = *cursor;
  above.sp = Slot(above.sp + saved, kSavedRegisters);
  if (saved == 0 || !ground.IsAbove(cursor->sp, above.sp) || !ToCallerBySearch(ground, &above)) {
    return false;
  }
  *cursor = above;
  return true;
}

bool HasEntryFrame(const WalkGround& ground, const StackCursor& cursor) {
  uint64_t wrapper = 0;
  uint64_t native = 0;
  return ground.IsAtOrAbove(cursor.sp, cursor.fp) && HasEntryWrapper(ground, cursor.fp, &wrapper) &&
         GuardedLoad(Slot(cursor.fp, kReturnSlot), &native) && IsNativeReturn(native);
}

bool IsNearCallStub(const HotspotLayout& vm, uint64_t pc) {
  return pc - vm.call_stub_return + kCallStubBytes < 2 * kCallStubBytes;
}

// The return address is on top, below a frame pointer that was just pushed, or above the frame that
// the frame pointer names.
bool ToNativeCallerOfStub(const WalkGround& ground, StackCursor* cursor) {
  uint64_t pushed_fp = 0;
  uint64_t saved_fp = 0;
  static_cast<void>(GuardedLoad(cursor->sp, &pushed_fp));
  const bool has_fp = MayOwnFramePointer(ground, *cursor) && GuardedLoad(cursor->fp, &saved_fp);
  const StackCursor candidates[] = {
      {0, Slot(cursor->sp, 1), cursor->fp, PcMeaning::kReturn},
      {0, Slot(cursor->sp, 2), pushed_fp, PcMeaning::kReturn},
      {0, has_fp ? Slot(cursor->fp, kReturnSlot + 1) : 0, saved_fp, PcMeaning::kReturn}};
  for (StackCursor candidate : candidates) {
    if (!ground.IsAbove(cursor->sp, candidate.sp) ||
        !LoadReturnBelow(candidate.sp, &candidate.pc) || !IsNativeReturn(candidate.pc)) {
      continue;
    }
    *cursor = candidate;
    return true;
  }
  return false;
}

}  // namespace jprof
