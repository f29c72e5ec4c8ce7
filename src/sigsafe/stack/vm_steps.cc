#include "sigsafe/stack/vm_steps.h"

#include <algorithm>

#include "sigsafe/base/check.h"
#include "sigsafe/hotspot/frame_shape.h"
#include "sigsafe/hotspot/pushed_words.h"
#include "sigsafe/native/native_registers.h"

namespace jprof {
namespace {

// The number of words of an anchor: _last_Java_sp, _last_Java_pc and _last_Java_fp (jdk-17+35
// src/hotspot/cpu/x86/javaFrameAnchor_x86.hpp).
constexpr uint64_t kAnchorWords = 3;
// The maximum number of words that the interpreter pushes below a method's operands, including
// those for a call to another method.
constexpr int64_t kMostPushed = 16;
// The maximum number of words of an upcall stub's frame that are searched. Even a frame in which
// all vector registers are saved has fewer.
constexpr uint64_t kMaxUpcallWords = 512;

bool IsAt(const VmPlace& place, uint64_t object, uint64_t address) {
  uint64_t found = 0;
  return place.exists() && place.Find(object, &found) && found == address;
}

// True if the code is a native method's wrapper that has removed its frame and now checks for
// exceptions. Until the removal, the frame pointer points to the wrapper's frame (jdk-17+35
// src/hotspot/cpu/x86/sharedRuntime_x86_64.cpp, generate_native_wrapper).
bool HasLeftWrapper(const HotspotLayout& vm, const CodeBlob& blob, const StackPosition& position) {
  int64_t level = -1;
  uint64_t pc = 0;
  return blob.is_nmethod && vm.nmethod_level.Load(blob.address, &level) && level == 0 &&
         static_cast<int64_t>(position.pc - blob.code_begin) >= blob.frame_complete && kCallsPush &&
         position.fp + 2 * kWordSize != Slot(position.sp, blob.frame_size) &&
         GuardedLoad(position.sp, &pc) && IsJavaReturn(vm, pc);
}

// True if `position` can be a caller: its pc is the return address of a call. If the interpreter or
// the call stub made the call, the frame pointer must be that of an interpreted frame or of an
// entry frame. A return address alone might be a word that is left from an earlier call.
bool IsConsistent(const WalkContext& context, const StackPosition& position) {
  JavaMethod java;
  uint64_t wrapper = 0;
  if (!IsJavaReturn(context.vm, position.pc)) return false;
  if (IsInterpreterCode(context.vm, position.pc)) {
    return LoadInterpretedMethod(context, position, &java);
  }
  return position.pc != context.vm.call_stub_return ||
         HasEntryWrapper(context, position.fp, &wrapper);
}

// Returns the number of words that the code has probably pushed onto its frame. `is_complete`: the
// frame has its full size.
int LikelyPushed(const WalkContext& context, const CodeBlob& blob, const StackPosition& position,
                 bool is_complete) {
  if (position.meaning == PcMeaning::kReturn) return 0;
  if (context.vm.saves_all_registers) {
    const int saved = SavedRegisterWords(position.pc, position.sp);
    if (saved > 0) return saved;
  }
  if (position.meaning == PcMeaning::kLeafReturn) return PushedForCall(position.pc);
  if (!is_complete) return 0;
  const int words = WordsBelowSavedPointer(position.pc, position.sp);
  return words != 0 ? words : LoweredWords(blob, position.pc);
}

}  // namespace

bool IsJavaReturn(const HotspotLayout& vm, uint64_t pc) {
  if (!IsGeneratedCode(vm, pc)) return false;
  if (IsInterpreterCode(vm, pc) || pc == vm.call_stub_return) return true;
  CodeBlob blob;
  if (!FindCodeBlob(vm, pc, &blob)) return false;
  if (!blob.is_nmethod) {
    return blob.frame_size > 0 || IsReturnBarrier(vm, blob, pc) || IsUpcallStub(vm, blob);
  }
  return FollowsCall(pc) || IsDeoptReturn(vm, blob, pc);
}

bool HasEntryWrapper(const WalkContext& context, uint64_t fp, uint64_t* wrapper) {
  return GuardedLoad(Slot(fp, context.vm.entry_wrapper_slot), wrapper) &&
         context.IsAbove(fp, *wrapper);
}

// The frame contains an UpcallStub::FrameData, in which the JavaThread* follows the anchor
// (jdk-21+35, jdk-25+36 src/hotspot/share/code/codeBlob.hpp). UpcallLinker::on_entry fills the
// FrameData (src/hotspot/share/prims/upcallLinker.cpp).
bool FindUpcallAnchor(const WalkContext& context, const StackPosition& position, uint64_t* anchor) {
  if (!context.IsAtOrAbove(position.sp, position.fp) || position.fp % kWordSize != 0) return false;
  const uint64_t frame_words = (position.fp - position.sp) / kWordSize;
  bool found = false;
  for (uint64_t i = kAnchorWords; i < std::min(frame_words, kMaxUpcallWords); ++i) {
    uint64_t word = 0;
    JavaFrameAnchor caller;
    if (!GuardedLoad(Slot(position.sp, static_cast<int>(i)), &word)) return found;
    if (word != context.java_thread) continue;
    const uint64_t candidate = Slot(position.sp, static_cast<int>(i - kAnchorWords));
    if (!LoadAnchor(context.vm, candidate, &caller)) return found;
    if (context.IsAbove(position.fp, caller.sp) && IsGeneratedCode(context.vm, caller.pc)) {
      *anchor = candidate;
      return true;
    }
    // The anchor is empty if no Java frame called the native code. The word can also be a saved
    // register with the JavaThread*, so the search goes on.
    if (caller.sp != 0 || caller.pc != 0) continue;
    *anchor = candidate;
    found = true;
  }
  return found;
}

bool IsDeoptReturn(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc) {
  return IsAt(vm.deopt_handler, blob.address, pc) || IsAt(vm.deopt_mh_handler, blob.address, pc);
}

bool ToCallerOfCompiled(const WalkContext& context, const CodeBlob& blob, StackPosition* position) {
  FrameShape shape{static_cast<uint64_t>(blob.frame_size) * kWordSize, true};
  if (position->meaning == PcMeaning::kNext) {
    shape = ShapeAt(context.vm, blob, position->pc);
    if (HasLeftWrapper(context.vm, blob, *position)) shape = {kWordSize, false};
  }
  if (shape.size == 0) return false;
  const int most_pushed = position->meaning == PcMeaning::kReturn ? 0 : kMaxPushedWords;
  const bool is_complete = shape.size == static_cast<uint64_t>(blob.frame_size) * kWordSize;
  const int likely = LikelyPushed(context, blob, *position, is_complete);
  for (int i = -1; i <= most_pushed; ++i) {
    const int pushed = i < 0 ? likely : i;
    const uint64_t sp = Slot(position->sp + shape.size, pushed);
    uint64_t pc = 0;
    uint64_t fp = position->fp;
    if (!context.IsAbove(position->sp, sp) || !LoadReturnBelow(sp, &pc)) return false;
    if (!IsGeneratedCode(context.vm, pc)) continue;
    if (shape.fp_saved && !GuardedLoad(Slot(sp, -2), &fp)) return false;
    const StackPosition caller = {pc, sp, fp, PcMeaning::kReturn};
    if (position->meaning != PcMeaning::kReturn && !IsConsistent(context, caller)) continue;
    *position = caller;
    return true;
  }
  return false;
}

bool LoadInterpretedMethod(const WalkContext& context, const StackPosition& position,
                           JavaMethod* method) {
  uint64_t address = 0;
  // The whole frame must be above the stack pointer: words below the stack pointer are of frames
  // that have returned.
  return position.fp % kWordSize == 0 && context.IsAtOrAbove(position.sp, position.fp) &&
         position.sp <= Slot(position.fp, context.vm.interpreter_bcp_slot) &&
         GuardedLoad(Slot(position.fp, kMethodSlot), &address) &&
         LoadJavaMethod(context.vm, address, method);
}

bool IsTopmostInterpreted(const WalkContext& context, const StackPosition& position,
                          const JavaMethod& method) {
  const uint64_t base_at = Slot(position.fp, context.vm.interpreter_bcp_slot - 1);
  uint64_t base = 0;
  int64_t max_stack = 0;
  // The interpreter stores this word last when it makes a frame. While the word is 0, the frame is
  // not complete yet.
  if (method.is_native || position.sp > base_at || !GuardedLoad(base_at, &base) || base == 0 ||
      !context.vm.const_max_stack.Load(method.const_method, &max_stack)) {
    return true;
  }
  // The word is an address; in later releases it is a distance from the frame pointer in words.
  if (static_cast<int64_t>(base) < 0) base = Slot(position.fp, static_cast<int>(base));
  if (base > position.fp || base % kWordSize != 0) return true;
  const uint64_t lowest = base - static_cast<uint64_t>(max_stack + kMostPushed) * kWordSize;
  return position.sp <= base && position.sp >= lowest;
}

bool ToCallerOfInterpreted(const WalkContext& context, StackPosition* position) {
  uint64_t pc = 0;
  uint64_t sp = 0;
  uint64_t fp = 0;
  if (!GuardedLoad(Slot(position->fp, kReturnSlot), &pc) ||
      !GuardedLoad(Slot(position->fp, kSenderSpSlot), &sp) ||
      !GuardedLoad(Slot(position->fp, kSavedFpSlot), &fp)) {
    return false;
  }
  // On AArch64 the interpreter reserves room for all operands of a method before its calls, and notes
  // this lower stack pointer. The frame of an interpreted callee begins in that room (jdk-17+35
  // src/hotspot/cpu/aarch64/interp_masm_aarch64.cpp, prepare_to_jump_from_interpreted).
  if (!kCallsPush) sp = std::max(sp, Slot(position->fp, kReturnSlot + 1));
  const bool is_above =
      context.IsAtOrAbove(position->sp, position->fp) && context.IsAbove(position->fp, sp);
  if (!is_above || !IsGeneratedCode(context.vm, pc)) return false;
  *position = {pc, sp, fp, PcMeaning::kReturn};
  return true;
}

bool ToNativeCallerOfEntry(const WalkContext& context, StackPosition* position) {
  uint64_t pc = 0;
  uint64_t fp = 0;
  if (!context.IsAtOrAbove(position->sp, position->fp) || !GuardedLoad(position->fp, &fp) ||
      !GuardedLoad(Slot(position->fp, kReturnSlot), &pc)) {
    return false;
  }
  *position = {pc, Slot(position->fp, kReturnSlot + 1), fp, PcMeaning::kReturn};
  return true;
}

// The ContinuationEntry is at the lower end of the frame of Continuation.enterSpecial (jdk-25+36
// src/hotspot/share/runtime/continuationEntry.inline.hpp, ContinuationEntry::to_frame).
bool ToMount(const WalkContext& context, uint64_t entry, StackPosition* position) {
  const uint64_t pc = context.vm.ContinuationReturn();
  if (pc == 0 || !context.IsAtOrAbove(position->sp, entry)) return false;
  *position = {pc, entry, position->fp, PcMeaning::kReturn};
  return true;
}

// ContinuationEntry starts with {_parent, _cont, _chunk, _flags and _argsize} (jdk-21+35 and
// jdk-25+36 src/hotspot/share/runtime/continuationEntry.hpp); in 25.0.3 another word comes first.
// So the flags are in word 3 or in word 4. The other one of these two words is a reference or an
// address, which is never 1.
bool IsVirtualThreadEntry(uint64_t entry) {
  for (const int word : {3, 4}) {
    uint64_t flags = 0;  // the flags, and above them the size of the arguments
    if (GuardedLoad(Slot(entry, word), &flags) && static_cast<uint32_t>(flags) == 1) return true;
  }
  return false;
}

// A ContinuationEntry is at the lower end of a frame of enterSpecial. The return address at the
// upper end of that frame shows that the parent is valid.
uint64_t ParentEntry(const WalkContext& context, uint64_t entry, int32_t frame_size) {
  for (const int word : {1, 0}) {
    uint64_t parent = 0;
    uint64_t pc = 0;
    if (GuardedLoad(Slot(entry, word), &parent) && parent % kWordSize == 0 &&
        context.IsAbove(entry, parent) && LoadReturnBelow(Slot(parent, frame_size), &pc) &&
        IsJavaReturn(context.vm, pc)) {
      return parent;
    }
  }
  return 0;
}

bool LoadChunkFramePointer(uint64_t sp, uint64_t* fp) {
  int64_t words = 0;
  const uint64_t at = Slot(sp, -2);
  if (!GuardedLoad(at, &words) || words < 0 || words > INT32_MAX) return false;
  *fp = Slot(at, static_cast<int>(words));
  return true;
}

// Steps in the same way as HotSpot's functions next (jdk-25+36
// src/hotspot/share/runtime/stackChunkFrameStream.inline.hpp) and next_for_interpreter_frame
// (src/hotspot/cpu/x86/stackChunkFrameStream_x86.inline.hpp).
bool ToCallerInChunk(const WalkContext& context, uint64_t end, StackPosition* position) {
  JPROF_CHECK(position->sp < end);
  uint64_t sp = 0;          // the caller's stack pointer; the word below is the return address
  uint64_t unextended = 0;  // the address from which a compiled caller's frame size is counted
  if (IsInterpreterCode(context.vm, position->pc)) {
    int64_t words = 0;
    sp = Slot(position->fp, kReturnSlot + 1);
    if (!GuardedLoad(Slot(position->fp, kSenderSpSlot), &words) || words < 0 || words > INT32_MAX) {
      return false;
    }
    unextended = Slot(position->fp, static_cast<int>(words));
  } else {
    CodeBlob blob;
    if (!FindCodeBlob(context.vm, position->pc, &blob) || blob.frame_size <= 0) return false;
    sp = Slot(position->sp, blob.frame_size);
    unextended = sp;
  }
  if (unextended <= position->sp) return false;
  if (sp >= end || unextended >= end) {
    position->sp = end;
    return true;
  }
  uint64_t pc = 0;
  uint64_t fp = 0;
  if (!LoadReturnBelow(sp, &pc)) return false;
  if (IsInterpreterCode(context.vm, pc) && !LoadChunkFramePointer(sp, &fp)) return false;
  *position = {pc, unextended, fp, PcMeaning::kReturn};
  return true;
}

bool ToAnchor(const WalkContext& context, const JavaFrameAnchor& anchor, StackPosition* position) {
  if (!context.IsAbove(position->sp, anchor.sp) || !IsGeneratedCode(context.vm, anchor.pc)) {
    return false;
  }
  *position = {anchor.pc, anchor.sp, anchor.fp, PcMeaning::kReturn};
  return true;
}

}  // namespace jprof
