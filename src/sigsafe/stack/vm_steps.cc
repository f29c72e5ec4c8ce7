#include "sigsafe/stack/vm_steps.h"

#include "sigsafe/hotspot/frame_shape.h"
#include "sigsafe/hotspot/java_method.h"

namespace jprof {
namespace {

// How far up a stub without a frame pointer may have moved the stack pointer.
constexpr int kMaxSearchedWords = 32;

// Goes to the caller whose return address is the word below `sp`.
bool ToReturnBelow(const WalkGround& ground, uint64_t sp, uint64_t fp, StackCursor* cursor) {
  uint64_t pc = 0;
  if (!ground.IsAbove(cursor->sp, sp) || !GuardedLoad(Slot(sp, -1), &pc)) return false;
  *cursor = {pc, sp, fp, PcMeaning::kReturn};
  return true;
}

bool IsAt(const VmPlace& place, uint64_t object, uint64_t address) {
  uint64_t found = 0;
  return place.exists() && place.Find(object, &found) && found == address;
}

}  // namespace

bool IsDeoptReturn(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc) {
  return IsAt(vm.deopt_handler, blob.address, pc) || IsAt(vm.deopt_mh_handler, blob.address, pc);
}

bool IsJavaReturn(const HotspotLayout& vm, uint64_t pc) {
  if (!IsGeneratedCode(vm, pc)) return false;
  if (IsInterpreterCode(vm, pc) || pc == vm.call_stub_return) return true;
  CodeBlob blob;
  if (!FindCodeBlob(vm, pc, &blob)) return false;
  if (!blob.is_nmethod) return blob.frame_size > 0;
  CompiledScopes scopes;
  return CompiledScopes::Find(vm, blob, pc, PcMeaning::kReturn, &scopes) ||
         IsDeoptReturn(vm, blob, pc);
}

bool ToCallerOfCompiled(const WalkGround& ground, const CodeBlob& blob, uint64_t link_register,
                        StackCursor* cursor) {
  FrameShape shape{static_cast<uint64_t>(blob.frame_size) * kWordSize, true};
  if (cursor->meaning == PcMeaning::kNext) shape = ShapeAt(ground.vm, blob, cursor->pc);
  if (shape.size == 0) {
    if (link_register == 0) return false;
    *cursor = {link_register, cursor->sp, cursor->fp, PcMeaning::kReturn};
    return true;
  }
  const uint64_t sp = cursor->sp + shape.size;
  uint64_t fp = cursor->fp;
  if (shape.fp_saved && !GuardedLoad(Slot(sp, -2), &fp)) return false;
  return ToReturnBelow(ground, sp, fp, cursor);
}

bool HasInterpretedFrame(const WalkGround& ground, const StackCursor& cursor, uint64_t* method) {
  if (cursor.fp % kWordSize != 0 || !ground.IsAbove(cursor.sp - 1, cursor.fp)) return false;
  JavaMethod java;
  return GuardedLoad(Slot(cursor.fp, kMethodSlot), method) &&
         LoadJavaMethod(ground.vm, *method, &java);
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
  if (!ground.IsAbove(cursor->fp, sp) || !IsGeneratedCode(ground.vm, pc)) return false;
  *cursor = {pc, sp, fp, PcMeaning::kReturn};
  return true;
}

bool ToCallerBySearch(const WalkGround& ground, StackCursor* cursor) {
  const auto returns_to_java = [&](uint64_t below_sp) {
    uint64_t pc = 0;
    return GuardedLoad(Slot(below_sp, -1), &pc) && IsJavaReturn(ground.vm, pc);
  };
  // In front of a frame, or behind it: the return address is on top.
  uint64_t sp = Slot(cursor->sp, 1);
  if (returns_to_java(sp)) return ToReturnBelow(ground, sp, cursor->fp, cursor);
  uint64_t saved_fp = 0;
  if (ground.IsAbove(cursor->sp - 1, cursor->fp) && GuardedLoad(cursor->fp, &saved_fp)) {
    sp = Slot(cursor->fp, kReturnSlot + 1);
    if (returns_to_java(sp)) return ToReturnBelow(ground, sp, saved_fp, cursor);
  }
  for (int i = 2; i <= kMaxSearchedWords; ++i) {
    sp = Slot(cursor->sp, i);
    if (!returns_to_java(sp)) continue;
    uint64_t fp = cursor->fp;
    // Behind `push %rbp` the frame pointer is still the caller's: both are the same.
    if (i == 2) static_cast<void>(GuardedLoad(cursor->sp, &fp));
    return ToReturnBelow(ground, sp, fp, cursor);
  }
  return false;
}

bool ToCallerOfEntry(const WalkGround& ground, bool* is_root, StackCursor* cursor) {
  uint64_t wrapper = 0;
  JavaFrameAnchor anchor;
  if (!GuardedLoad(Slot(cursor->fp, ground.vm.entry_wrapper_slot), &wrapper) ||
      !ground.IsAbove(cursor->fp, wrapper) ||
      !LoadAnchor(ground.vm, wrapper + ground.vm.wrapper_anchor, &anchor)) {
    return false;
  }
  *is_root = anchor.sp == 0;
  return *is_root || ToAnchor(ground, anchor, cursor);
}

bool ToAnchor(const WalkGround& ground, const JavaFrameAnchor& anchor, StackCursor* cursor) {
  if (!ground.IsAbove(cursor->sp, anchor.sp) || !IsGeneratedCode(ground.vm, anchor.pc)) {
    return false;
  }
  *cursor = {anchor.pc, anchor.sp, anchor.fp, PcMeaning::kReturn};
  return true;
}

}  // namespace jprof
