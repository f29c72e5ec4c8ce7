#include "sigsafe/stack/walk_start.h"

#include "sigsafe/hotspot/code_cache.h"
#include "sigsafe/hotspot/java_thread.h"
#include "sigsafe/os/registers.h"

namespace jprof {

bool StartAtSignal(const HotspotLayout& vm, uint64_t java_thread, const ucontext_t* interrupted,
                   WalkStart* start) {
  const StackPosition position{Value(ProgramCounter(interrupted)), StackPointer(interrupted),
                               FramePointer(interrupted), PcMeaning::kNext};
  if (!StartAtRegisters(vm, java_thread, position, start)) return false;
  start->interrupted = interrupted;
  return true;
}

bool StartAtAnchor(const HotspotLayout& vm, uint64_t java_thread, WalkStart* start) {
  JavaFrameAnchor anchor;
  StackBounds stack;
  if (!LoadAnchor(vm, java_thread + vm.thread_anchor, &anchor) ||
      !LoadStackBounds(vm, java_thread, &stack)) {
    return false;
  }
  if (anchor.sp < stack.low || anchor.sp >= stack.high || !IsGeneratedCode(vm, anchor.pc)) {
    return false;
  }
  *start = {java_thread, stack, {anchor.pc, anchor.sp, anchor.fp, PcMeaning::kReturn}, nullptr};
  return true;
}

bool StartAtRegisters(const HotspotLayout& vm, uint64_t java_thread, const StackPosition& position,
                      WalkStart* start) {
  StackBounds stack;
  if (!LoadStackBounds(vm, java_thread, &stack)) return false;
  *start = {java_thread, stack, position, nullptr};
  return true;
}

}  // namespace jprof
