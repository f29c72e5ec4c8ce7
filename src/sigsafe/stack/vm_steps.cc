#include "sigsafe/stack/vm_steps.h"

#include "sigsafe/hotspot/frame_shape.h"
#include "sigsafe/native/native_code.h"
#include "sigsafe/native/native_registers.h"

namespace jprof {
namespace {

bool IsAt(const VmPlace& place, uint64_t object, uint64_t address) {
  uint64_t found = 0;
  return place.exists() && place.Find(object, &found) && found == address;
}

// A wrapper looks for exceptions behind its frame. Before, its frame pointer names it (jdk-17+35
// src/hotspot/cpu/x86/sharedRuntime_x86_64.cpp, generate_native_wrapper).
bool HasLeftWrapper(const HotspotLayout& vm, const CodeBlob& blob, const StackCursor& cursor) {
  int64_t level = -1;
  uint64_t pc = 0;
  return blob.is_nmethod && vm.nmethod_level.Load(blob.address, &level) && level == 0 &&
         static_cast<int64_t>(cursor.pc - blob.code_begin) >= blob.frame_complete && kCallsPush &&
         cursor.fp + 2 * kWordSize != Slot(cursor.sp, blob.frame_size) &&
         GuardedLoad(cursor.sp, &pc) && IsJavaReturn(vm, pc);
}

}  // namespace

bool IsJavaReturn(const HotspotLayout& vm, uint64_t pc) {
  if (!IsGeneratedCode(vm, pc)) return false;
  if (IsInterpreterCode(vm, pc) || pc == vm.call_stub_return) return true;
  CodeBlob blob;
  if (!FindCodeBlob(vm, pc, &blob)) return false;
  if (!blob.is_nmethod) return blob.frame_size > 0 || IsReturnBarrier(vm, blob, pc);
  return FollowsCall(pc) || IsDeoptReturn(vm, blob, pc);
}

bool HasEntryWrapper(const WalkGround& ground, uint64_t fp, uint64_t* wrapper) {
  return GuardedLoad(Slot(fp, ground.vm.entry_wrapper_slot), wrapper) &&
         ground.IsAbove(fp, *wrapper);
}

bool IsDeoptReturn(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc) {
  return IsAt(vm.deopt_handler, blob.address, pc) || IsAt(vm.deopt_mh_handler, blob.address, pc);
}

bool ToCallerOfCompiled(const WalkGround& ground, const CodeBlob& blob, StackCursor* cursor) {
  FrameShape shape{static_cast<uint64_t>(blob.frame_size) * kWordSize, true};
  if (cursor->meaning == PcMeaning::kNext) {
    shape = ShapeAt(ground.vm, blob, cursor->pc);
    if (HasLeftWrapper(ground.vm, blob, *cursor)) shape = {kWordSize, false};
  }
  if (shape.size == 0) return false;
  const int most_pushed = cursor->meaning == PcMeaning::kReturn ? 0 : kMaxPushedWords;
  const int guess = cursor->meaning == PcMeaning::kLeafReturn ? PushedForCall(cursor->pc) : 0;
  for (int i = -1; i <= most_pushed; ++i) {
    const int pushed = i < 0 ? guess : i;
    const uint64_t sp = Slot(cursor->sp + shape.size, pushed);
    uint64_t pc = 0;
    uint64_t fp = cursor->fp;
    if (!ground.IsAbove(cursor->sp, sp) || !LoadReturnBelow(sp, &pc)) return false;
    if (!IsGeneratedCode(ground.vm, pc)) continue;
    if (shape.fp_saved && !GuardedLoad(Slot(sp, -2), &fp)) return false;
    if (cursor->meaning != PcMeaning::kReturn && !IsJavaReturn(ground.vm, pc)) continue;
    *cursor = {pc, sp, fp, PcMeaning::kReturn};
    return true;
  }
  return false;
}

bool LoadInterpretedMethod(const WalkGround& ground, const StackCursor& cursor,
                           JavaMethod* method) {
  uint64_t address = 0;
  return cursor.fp % kWordSize == 0 && ground.IsAtOrAbove(cursor.sp, cursor.fp) &&
         GuardedLoad(Slot(cursor.fp, kMethodSlot), &address) &&
         LoadJavaMethod(ground.vm, address, method);
}

bool ToCallerOfInterpreted(const WalkGround& ground, StackCursor* cursor) {
  uint64_t pc = 0;
  uint64_t sp = 0;
  uint64_t fp = 0;
  if (!GuardedLoad(Slot(cursor->fp, kReturnSlot), &pc) ||
      !GuardedLoad(Slot(cursor->fp, kSenderSpSlot), &sp) ||
      !GuardedLoad(Slot(cursor->fp, kSavedFpSlot), &fp)) {
    return false;
  }
  const bool is_above =
      ground.IsAtOrAbove(cursor->sp, cursor->fp) && ground.IsAbove(cursor->fp, sp);
  if (!is_above || !IsGeneratedCode(ground.vm, pc)) return false;
  *cursor = {pc, sp, fp, PcMeaning::kReturn};
  return true;
}

bool ToCallerOfEntry(const WalkGround& ground, bool* is_root, StackCursor* cursor) {
  uint64_t wrapper = 0;
  JavaFrameAnchor anchor;
  if (!HasEntryWrapper(ground, cursor->fp, &wrapper) ||
      !LoadAnchor(ground.vm, wrapper + ground.vm.wrapper_anchor, &anchor)) {
    return false;
  }
  *is_root = anchor.sp == 0;
  return *is_root || ToAnchor(ground, anchor, cursor);
}

bool ToNativeCallerOfEntry(const WalkGround& ground, StackCursor* cursor) {
  uint64_t pc = 0;
  uint64_t fp = 0;
  if (!ground.IsAtOrAbove(cursor->sp, cursor->fp) || !GuardedLoad(cursor->fp, &fp) ||
      !GuardedLoad(Slot(cursor->fp, kReturnSlot), &pc)) {
    return false;
  }
  *cursor = {pc, Slot(cursor->fp, kReturnSlot + 1), fp, PcMeaning::kReturn};
  return true;
}

// The entry lies at the lower end of the frame of Continuation.enterSpecial (jdk-25+36
// src/hotspot/share/runtime/continuationEntry.inline.hpp, ContinuationEntry::to_frame).
bool ToMount(const WalkGround& ground, uint64_t entry, StackCursor* cursor) {
  if (ground.vm.continuation_return == 0 || !ground.IsAtOrAbove(cursor->sp, entry)) return false;
  *cursor = {ground.vm.continuation_return, entry, cursor->fp, PcMeaning::kReturn};
  return true;
}

bool LoadChunkFramePointer(uint64_t sp, uint64_t* fp) {
  int64_t words = 0;
  const uint64_t at = Slot(sp, -2);
  if (!GuardedLoad(at, &words) || words < 0 || words > INT32_MAX) return false;
  *fp = Slot(at, static_cast<int>(words));
  return true;
}

// jdk-25+36 src/hotspot/share/runtime/stackChunkFrameStream.inline.hpp, next, and
// src/hotspot/cpu/x86/stackChunkFrameStream_x86.inline.hpp, next_for_interpreter_frame.
bool ToCallerInChunk(const WalkGround& ground, uint64_t end, StackCursor* cursor) {
  uint64_t sp = 0;          // the caller's, where its callee's return address lies below
  uint64_t unextended = 0;  // where the size of a compiled caller counts from
  if (IsInterpreterCode(ground.vm, cursor->pc)) {
    int64_t words = 0;
    sp = Slot(cursor->fp, kReturnSlot + 1);
    if (!GuardedLoad(Slot(cursor->fp, kSenderSpSlot), &words) || words < 0 || words > INT32_MAX) {
      return false;
    }
    unextended = Slot(cursor->fp, static_cast<int>(words));
  } else {
    CodeBlob blob;
    if (!FindCodeBlob(ground.vm, cursor->pc, &blob) || blob.frame_size <= 0) return false;
    sp = Slot(cursor->sp, blob.frame_size);
    unextended = sp;
  }
  if (unextended <= cursor->sp) return false;
  if (sp >= end || unextended >= end) {
    cursor->sp = end;
    return true;
  }
  uint64_t pc = 0;
  uint64_t fp = 0;
  if (!LoadReturnBelow(sp, &pc)) return false;
  if (IsInterpreterCode(ground.vm, pc) && !LoadChunkFramePointer(sp, &fp)) return false;
  *cursor = {pc, unextended, fp, PcMeaning::kReturn};
  return true;
}

bool ToAnchor(const WalkGround& ground, const JavaFrameAnchor& anchor, StackCursor* cursor) {
  if (!ground.IsAbove(cursor->sp, anchor.sp) || !IsGeneratedCode(ground.vm, anchor.pc)) {
    return false;
  }
  *cursor = {anchor.pc, anchor.sp, anchor.fp, PcMeaning::kReturn};
  return true;
}

}  // namespace jprof
