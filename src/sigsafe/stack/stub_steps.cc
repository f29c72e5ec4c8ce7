#include "sigsafe/stack/stub_steps.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "sigsafe/hotspot/frame_shape.h"
#include "sigsafe/hotspot/java_method.h"
#include "sigsafe/native/native_registers.h"

namespace jprof {
namespace {

// The maximum number of words that are searched above the stack pointer of code that keeps no frame
// pointer.
constexpr int kMaxSearchedWords = 32;
// The maximum number of words from the stack pointer to the return address in code that has saved
// all registers to call the VM (jdk-25+36 src/hotspot/cpu/x86/sharedRuntime_x86_64.cpp,
// patch_callers_callsite: 83 words). One of these words is the stack pointer's value from before
// the registers were saved.
constexpr int kMaxSavedWords = 96;
// The maximum number of registers that a stub without a frame pushes (jdk-17+35
// src/hotspot/cpu/x86/stubGenerator_x86_64.cpp, generate_d2l_fixup: 5).
constexpr int kMaxPushedRegisters = 6;
// The maximum number of words that a stub without a frame stores in all: C1's slow_subtype_check
// pushes 4 registers, and then up to 6 aligned words for its table of supertypes (jdk-25+36
// src/hotspot/cpu/x86/c1_Runtime1_x86.cpp; macroAssembler_x86.cpp,
// check_klass_subtype_slow_path_table).
constexpr int kMaxStoredWords = 10;
// The maximum number of words by which a stub that calls the VM lowers its stack pointer to align
// it.
constexpr int kAlignmentWords = 1;
// The number of registers that an adapter pushes before the vector registers (jdk-17+35
// src/hotspot/cpu/x86/macroAssembler_x86.cpp, push_IU_state).
constexpr int kSavedRegisters = 16;
// The word below the return address of the entry barrier of a method, also while it has no frame
// (jdk-17+35 src/hotspot/cpu/x86/stubGenerator_x86_64.cpp, generate_method_entry_barrier).
constexpr uint64_t kEntryBarrierCookie = UINT64_MAX;
// Code counts as the call stub if it is within this many bytes of the address to which Java returns
// in the call stub. The stub has fewer bytes on either side of that address.
constexpr uint64_t kCallStubBytes = 512;

// True if the frame pointer is that of an interpreted frame, and the bytecode pointer of the frame
// points into the bytecodes of its method. A native method has no bytecodes to check.
bool IsAtBytecode(const WalkContext& context, const StackPosition& position) {
  uint64_t bcp = 0;
  JavaMethod java;
  if (!LoadInterpretedMethod(context, position, &java)) return false;
  return java.is_native || (GuardedLoad(Slot(position.fp, context.vm.interpreter_bcp_slot), &bcp) &&
                            BytecodeIndexOf(context.vm, java, bcp) >= 0);
}

// True if a call in code of a library returns to `pc`.
bool IsNativeReturn(const WalkContext& context, uint64_t pc) {
  return context.native_code.Find(pc - 1).has_rules();
}

// True if the code at `position` might have set up the frame pointer itself. If the code has not,
// the frame pointer is still that of an interpreted frame or of an entry frame further up the
// stack.
bool MayOwnFramePointer(const WalkContext& context, const StackPosition& position) {
  return context.IsAtOrAbove(position.sp, position.fp) && !IsAtBytecode(context, position) &&
         !HasEntryFrame(context, position);
}

// True if a caller at `position` is plausible: its own caller can be found too.
bool IsPlausible(const WalkContext& context, const StackPosition& position) {
  uint64_t word = 0;
  if (!IsJavaReturn(context.vm, position.pc)) return false;
  if (IsInterpreterCode(context.vm, position.pc)) return IsAtBytecode(context, position);
  if (position.pc == context.vm.call_stub_return) {
    return HasEntryWrapper(context, position.fp, &word);
  }
  CodeBlob blob;
  if (!FindCodeBlob(context.vm, position.pc, &blob)) return false;
  if (IsReturnBarrier(context.vm, blob, position.pc) || IsUpcallStub(context.vm, blob)) return true;
  CompiledScopes scopes;
  const bool is_leaf_call =
      blob.is_nmethod &&
      CompiledScopes::Find(context.vm, blob, position.pc, PcMeaning::kReturn, &scopes) &&
      !scopes.exact();
  const int most_pushed = is_leaf_call ? kMaxPushedWords : 0;
  for (int pushed = 0; pushed <= most_pushed; ++pushed) {
    const uint64_t sp = Slot(position.sp, blob.frame_size + pushed);
    if (context.IsAbove(position.sp, sp) && LoadReturnBelow(sp, &word) &&
        IsJavaReturn(context.vm, word)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool MoveIfPlausible(const WalkContext& context, const StackPosition& to, StackPosition* position) {
  if (to.sp < position->sp || to.sp >= context.stack.high || !IsPlausible(context, to)) {
    return false;
  }
  *position = to;
  return true;
}

namespace {

// Moves to the caller that has the stack pointer `sp`, if this caller is plausible. The return
// address into the caller is the word below `sp`.
bool MoveIfPlausible(const WalkContext& context, uint64_t sp, uint64_t fp,
                     StackPosition* position) {
  uint64_t pc = 0;
  return LoadReturnBelow(sp, &pc) &&
         MoveIfPlausible(context, {pc, sp, fp, PcMeaning::kReturn}, position);
}

// Steps from code that has saved all registers: one of the saved words is the stack pointer's value
// from before the saving. That value points to the return address.
bool MoveBySavedStackPointer(const WalkContext& context, StackPosition* position) {
  const uint64_t near = Slot(position->sp, kMaxSearchedWords);
  const uint64_t far = Slot(position->sp, kMaxSavedWords);
  for (int i = 0; i < kMaxSavedWords; ++i) {
    uint64_t saved = 0;
    if (!GuardedLoad(Slot(position->sp, i), &saved)) return false;
    if (saved < near || saved > far || saved % kWordSize != 0) continue;
    if (MoveIfPlausible(context, Slot(saved, 1), position->fp, position)) return true;
  }
  return false;
}

// The maximum number of words between the saved stack pointer in an aligned frame and the address
// to which it points: 8 for registers, and 3 for the alignment of the stack pointer to 32 bytes.
constexpr int kMaxWordsAboveSaved = 8 + 3;
// More bytes than the longest stub has.
constexpr uint64_t kMostStubBytes = 16384;

enum class Caller : bool { kAny, kOfThisCode };

// Moves to the first plausible caller whose stack pointer is `first` to `last` words above that of
// the position. With kOfThisCode, the return address into the caller must follow a call to the code
// at the position.
bool ToCallerAmong(const WalkContext& context, int first, int last, Caller caller,
                   StackPosition* position) {
  for (int i = first; i <= last; ++i) {
    uint64_t pc = 0;
    const bool is_java =
        LoadReturnBelow(Slot(position->sp, i), &pc) && IsGeneratedCode(context.vm, pc);
    if (!is_java) continue;
    if (caller == Caller::kOfThisCode && position->pc - CallTarget(pc) >= kMostStubBytes) continue;
    if (MoveIfPlausible(context, Slot(position->sp, i), position->fp, position)) return true;
  }
  return false;
}

// Moves to a caller as ToCallerAmong does. First tries only return addresses that follow a call to
// the code at the position, because a pushed register can look like a return address. Then tries
// all return addresses, because the target of a call by a register is unknown.
bool ToCallerAbove(const WalkContext& context, int first, int last, StackPosition* position) {
  return ToCallerAmong(context, first, last, Caller::kOfThisCode, position) ||
         ToCallerAmong(context, first, last, Caller::kAny, position);
}

// Moves to the caller of a stub that has pushed registers and then made an aligned frame, in which
// it keeps the stack pointer from before the alignment (jdk-17+35
// src/hotspot/cpu/x86/macroAssembler_x86_sha.cpp: sha256_AVX2, whose frame has 68 words, and
// sha512_AVX2; both use the frame pointer register for other values). Of the words that can be the
// saved stack pointer, the highest one is taken: the stub might not have written the lower words
// yet, so they might be left from an earlier call.
bool ToCallerAboveAlignedFrame(const WalkContext& context, StackPosition* position) {
  StackPosition pushed = *position;
  for (int i = kMaxSavedWords - 1; i >= 0; --i) {
    if (!GuardedLoad(Slot(position->sp, i), &pushed.sp)) continue;
    const uint64_t above = Slot(position->sp, i + 1);
    if (pushed.sp < above || pushed.sp > Slot(above, kMaxWordsAboveSaved)) continue;
    if (pushed.sp % kWordSize != 0) continue;
    if (ToCallerAmong(context, 2, kMaxSearchedWords, Caller::kOfThisCode, &pushed)) {
      *position = pushed;
      return true;
    }
  }
  return false;
}

// Moves to the exception handler at `to`: a stub that forwards an exception has replaced its return
// address by the address of the handler (jdk-17+35 src/hotspot/cpu/x86/c1_Runtime1_x86.cpp,
// generate_handle_exception).
bool MoveToExceptionHandler(const WalkContext& context, const StackPosition& to,
                            StackPosition* position) {
  CodeBlob blob;
  uint64_t pc = 0;
  if (to.sp < position->sp || to.sp >= context.stack.high || !IsGeneratedCode(context.vm, to.pc)) {
    return false;
  }
  if (!FindCodeBlob(context.vm, to.pc, &blob) || !blob.is_nmethod ||
      !LoadReturnBelow(Slot(to.sp, blob.frame_size), &pc) || !IsJavaReturn(context.vm, pc)) {
    return false;
  }
  *position = to;
  return true;
}

}  // namespace

bool ToCallerByHeuristic(const WalkContext& context, const InterruptedRegisters& registers,
                         FpOwner owner, StackPosition* position) {
  const uint64_t sp = position->sp;
  const uint64_t fp = position->fp;
  // The return address can be in three places. It is on top of the stack before the frame is set up
  // and after the frame has been removed. It is above the saved frame pointer while there is a
  // frame. It is in a register while the interpreter makes room for the frame of a method.
  uint64_t on_top = 0;
  uint64_t above_fp = 0;
  uint64_t saved_fp = 0;
  static_cast<void>(GuardedLoad(sp, &on_top));
  const bool has_fp = owner == FpOwner::kPerhapsOwn && MayOwnFramePointer(context, *position) &&
                      GuardedLoad(Slot(fp, kReturnSlot), &above_fp) && GuardedLoad(fp, &saved_fp);
  if (!kCallsPush && registers.return_address != 0) {
    const bool has_sender =
        registers.sender_is_noted && context.IsAtOrAbove(sp, registers.sender_sp);
    const uint64_t caller_sp = has_sender ? registers.sender_sp : sp;
    if (MoveIfPlausible(context, {registers.return_address, caller_sp, fp, PcMeaning::kReturn},
                        position)) {
      return true;
    }
  }
  // In the interpreter, sender_sp is the stack pointer of the caller. In an adapter that calls the
  // VM, sender_sp points to the adapter's return address.
  if (const uint64_t sender = registers.sender_sp; context.IsAtOrAbove(sp, sender)) {
    uint64_t at_sender = 0;
    uint64_t noted_sender = 0;
    static_cast<void>(GuardedLoad(sender, &at_sender));
    if (has_fp) static_cast<void>(GuardedLoad(Slot(fp, kSenderSpSlot), &noted_sender));
    if (!registers.sender_is_noted && MoveIfPlausible(context, Slot(sp, 1), fp, position)) {
      return true;
    }
    // If sender_sp is the stack pointer, what is on top of the stack belongs to the caller's frame.
    const uint64_t called_from = sender == sp ? 0 : on_top;
    const StackPosition candidates[] = {{called_from, sender, fp, PcMeaning::kReturn},
                                        {registers.return_address, sender, fp, PcMeaning::kReturn},
                                        {above_fp, sender, saved_fp, PcMeaning::kReturn},
                                        {above_fp, noted_sender, saved_fp, PcMeaning::kReturn},
                                        {at_sender, Slot(sender, 1), fp, PcMeaning::kReturn}};
    const size_t first = registers.points_to_return ? std::size(candidates) - 1 : 0;
    for (const StackPosition& candidate : std::span(candidates).subspan(first)) {
      if (MoveIfPlausible(context, candidate, position)) return true;
    }
  }
  // The interpreter might have made a frame that does not contain its method yet. In this case
  // sender_sp has another value, but the frame contains the caller's stack pointer.
  uint64_t noted_sender = 0;
  if (has_fp && IsInterpreterCode(context.vm, position->pc) && sp <= Slot(fp, kSenderSpSlot) &&
      GuardedLoad(Slot(fp, kSenderSpSlot), &noted_sender) &&
      MoveIfPlausible(context, {above_fp, noted_sender, saved_fp, PcMeaning::kReturn}, position)) {
    return true;
  }
  if (MoveIfPlausible(context, Slot(sp, 1), fp, position)) return true;
  if (position->meaning != PcMeaning::kNext && MoveBySavedStackPointer(context, position)) {
    return true;
  }
  if (has_fp && MoveIfPlausible(context, Slot(fp, kReturnSlot + 1), saved_fp, position)) {
    return true;
  }
  return registers.return_address != 0 &&
         MoveIfPlausible(context, {registers.return_address, sp, fp, PcMeaning::kReturn}, position);
}

bool ToCallerNearby(const WalkContext& context, StackPosition* position) {
  return ToCallerAbove(context, 1, kMaxPushedRegisters + 1, position);
}

bool ToCallerOrHandler(const WalkContext& context, const CodeBlob& blob, const StackPosition& to,
                       StackPosition* position) {
  if (MoveIfPlausible(context, to, position)) return true;
  StackPosition handler = to;
  handler.meaning = PcMeaning::kLeafReturn;
  return blob.frame_size > 0 && position->pc != blob.code_begin &&
         MoveToExceptionHandler(context, handler, position);
}

bool ToPolledCode(const WalkContext& context, const CodeBlob& blob, StackPosition* position) {
  int64_t polled_pc = 0;
  CodeBlob polled;
  uint64_t sp = position->sp;
  uint64_t fp = position->fp;
  if (!FindPolledFrame(blob, position->pc, &sp, &fp) || !context.vm.thread_polled_pc.exists() ||
      !context.vm.thread_polled_pc.Load(context.java_thread, &polled_pc) ||
      !FindCodeBlob(context.vm, static_cast<uint64_t>(polled_pc), &polled) || !polled.is_nmethod) {
    return false;
  }
  *position = {static_cast<uint64_t>(polled_pc), sp, fp, PcMeaning::kNext};
  return true;
}

bool ToCallerOfPushingStub(const WalkContext& context, const CodeBlob& blob,
                           StackPosition* position) {
  for (int i = 1; i <= kMaxStoredWords + 1; ++i) {
    uint64_t pc = 0;
    if (!LoadReturnBelow(Slot(position->sp, i), &pc)) return false;
    if (!IsGeneratedCode(context.vm, pc) || CallTarget(pc) != blob.code_begin) continue;
    if (MoveIfPlausible(context, Slot(position->sp, i), position->fp, position)) return true;
  }
  return false;
}

bool ToCallerAtEdge(const WalkContext& context, const CodeBlob& blob, StackPosition* position) {
  const int words = WordsBelowReturn(blob, position->pc);
  if (words < 0) return false;
  uint64_t fp = position->fp;
  if (words == 1 && !GuardedLoad(position->sp, &fp)) return false;
  const uint64_t sp = Slot(position->sp, words + 1);
  uint64_t pc = 0;
  return LoadReturnBelow(sp, &pc) &&
         ToCallerOrHandler(context, blob, {pc, sp, fp, PcMeaning::kReturn}, position);
}

bool ToCallSite(const CodeBlob& blob, StackPosition* position) {
  uint64_t pc = 0;
  if (!IsCallTrampoline(position->pc) || !GuardedLoad(position->sp, &pc) ||
      pc - blob.code_begin >= blob.code_end - blob.code_begin || !FollowsCall(pc)) {
    return false;
  }
  *position = {pc, Slot(position->sp, 1), position->fp, PcMeaning::kReturn};
  return true;
}

bool ToUnknownCallerOfStub(const WalkContext& context, StackPosition* position) {
  uint64_t pc = 0;
  if (!GuardedLoad(position->sp, &pc) || IsGeneratedCode(context.vm, pc) || !FollowsCall(pc)) {
    return false;
  }
  *position = {pc, Slot(position->sp, 1), position->fp, PcMeaning::kReturn};
  return true;
}

// The search starts with the second word: after `push %rbp`, the first word is the caller's frame
// pointer, and %rbp still has the same value.
bool ToCallerBySearch(const WalkContext& context, StackPosition* position) {
  return ToCallerAboveAlignedFrame(context, position) ||
         ToCallerAbove(context, 2, kMaxSearchedWords, position);
}

bool ToCallerOfFramedStub(const WalkContext& context, const CodeBlob& blob,
                          StackPosition* position) {
  const uint64_t sp = Slot(position->fp, kReturnSlot + 1);
  const bool fits =
      blob.frame_size <= 0 || sp <= Slot(position->sp, blob.frame_size + kAlignmentWords);
  uint64_t fp = 0;
  uint64_t pc = 0;
  if (!context.IsAtOrAbove(position->sp, position->fp) || !fits ||
      !GuardedLoad(position->fp, &fp) || !LoadReturnBelow(sp, &pc)) {
    return false;
  }
  // The caller is not checked: while a stub replaces a compiled frame by interpreted frames, the
  // frames above the stub's frame are incomplete.
  if (position->meaning != PcMeaning::kNext && blob.frame_size > 0 &&
      IsGeneratedCode(context.vm, pc)) {
    *position = {pc, sp, fp, PcMeaning::kReturn};
    return true;
  }
  const StackPosition handler{pc, sp, fp, PcMeaning::kLeafReturn};
  if (SetsUpFramePointer(blob.code_begin)) {
    return MoveIfPlausible(context, sp, fp, position) ||
           MoveToExceptionHandler(context, handler, position);
  }
  // C1's stub forward_exception runs in the frame of the stub that has jumped to it. In other stubs,
  // the frame pointer has any value.
  return blob.frame_size > 0 && IsGeneratedCode(context.vm, pc) && !FollowsCall(pc) &&
         MoveToExceptionHandler(context, handler, position);
}

bool ToCallerOfSharedStub(const WalkContext& context, const CodeBlob& blob,
                          StackPosition* position) {
  const uint64_t sp = Slot(position->fp, kReturnSlot + 1);
  uint64_t fp = 0;
  uint64_t pc = 0;
  if (GuardedLoad(position->sp, &pc) && pc == kEntryBarrierCookie) {
    return MoveIfPlausible(context, Slot(position->sp, 2), position->fp, position);
  }
  if (!context.IsAtOrAbove(position->sp, position->fp) || !GuardedLoad(position->fp, &fp) ||
      !LoadReturnBelow(sp, &pc)) {
    return false;
  }
  if (pc == kEntryBarrierCookie) return MoveIfPlausible(context, Slot(sp, 1), fp, position);
  if (!IsGeneratedCode(context.vm, pc)) return false;
  const uint64_t entry = CallTarget(pc);
  // A stub for overlapping arrays jumps back to the one for other arrays, so the entry can come later
  // (jdk-17+35 src/hotspot/cpu/x86/stubGenerator_x86_64.cpp, array_overlap_test).
  const uint64_t distance = std::max(entry, position->pc) - std::min(entry, position->pc);
  const bool is_own = entry >= blob.code_begin && entry < blob.code_end &&
                      distance < kMostStubBytes && SetsUpFramePointer(entry);
  return is_own && MoveIfPlausible(context, {pc, sp, fp, PcMeaning::kReturn}, position);
}

bool ToCallerOfAdapter(const WalkContext& context, StackPosition* position) {
  if (!kCallsPush) {
    // The adapter has made a frame for the call (jdk-17+35
    // src/hotspot/cpu/aarch64/sharedRuntime_aarch64.cpp, patch_callers_callsite).
    uint64_t fp = 0;
    return context.IsAtOrAbove(position->sp, position->fp) && GuardedLoad(position->fp, &fp) &&
           MoveIfPlausible(context, Slot(position->fp, kReturnSlot + 1), fp, position);
  }
  const uint64_t saved = SavedVectorBytes(position->pc);
  StackPosition above = *position;
  above.sp = Slot(above.sp + saved, kSavedRegisters);
  if (saved == 0 || !context.IsAbove(position->sp, above.sp) ||
      !ToCallerBySearch(context, &above)) {
    return false;
  }
  *position = above;
  return true;
}

// The interpreter has entries without a frame for some methods, such as CRC32.updateBytes0: the entry
// calls a stub. The return address is on top of the stack, or above a word that aligns the stack for
// the call. The arguments are above it; the adapter has aligned them (jdk-25+36
// src/hotspot/cpu/x86/sharedRuntime_x86_64.cpp, gen_c2i_adapter, and
// templateInterpreterGenerator_x86.cpp, generate_CRC32_updateBytes_entry).
bool ToCompiledCallerOfEntry(const WalkContext& context, StackPosition* position) {
  constexpr int kMostArguments = 8;  // words
  for (int on_top = 0; on_top <= 1; ++on_top) {
    CodeBlob blob;
    StackPosition caller{0, 0, position->fp, PcMeaning::kReturn};
    const bool is_compiled = GuardedLoad(Slot(position->sp, on_top), &caller.pc) &&
                             FindCodeBlob(context.vm, caller.pc, &blob) && blob.is_nmethod;
    for (int words = 0; is_compiled && words <= kMostArguments; ++words) {
      caller.sp = Slot(position->sp, on_top + 1 + words);
      if (MoveIfPlausible(context, caller, position)) return true;
    }
  }
  return false;
}

bool HasEntryFrame(const WalkContext& context, const StackPosition& position) {
  uint64_t wrapper = 0;
  uint64_t native = 0;
  return context.IsAtOrAbove(position.sp, position.fp) &&
         HasEntryWrapper(context, position.fp, &wrapper) &&
         GuardedLoad(Slot(position.fp, kReturnSlot), &native) && IsNativeReturn(context, native);
}

bool IsNearCallStub(const HotspotLayout& vm, uint64_t pc) {
  return pc - vm.call_stub_return + kCallStubBytes < 2 * kCallStubBytes;
}

// The return address is on top of the stack, or above a frame pointer that was just pushed, or
// above the word to which the frame pointer points.
bool ToNativeCallerOfStub(const WalkContext& context, StackPosition* position) {
  uint64_t pushed_fp = 0;
  uint64_t saved_fp = 0;
  static_cast<void>(GuardedLoad(position->sp, &pushed_fp));
  const bool has_fp =
      MayOwnFramePointer(context, *position) && GuardedLoad(position->fp, &saved_fp);
  const StackPosition candidates[] = {
      {0, Slot(position->sp, 1), position->fp, PcMeaning::kReturn},
      {0, Slot(position->sp, 2), pushed_fp, PcMeaning::kReturn},
      {0, has_fp ? Slot(position->fp, kReturnSlot + 1) : 0, saved_fp, PcMeaning::kReturn}};
  for (StackPosition candidate : candidates) {
    if (!context.IsAbove(position->sp, candidate.sp) ||
        !LoadReturnBelow(candidate.sp, &candidate.pc) || !IsNativeReturn(context, candidate.pc)) {
      continue;
    }
    *position = candidate;
    return true;
  }
  return false;
}

}  // namespace jprof
