#include "sigsafe/hotspot/java_frame_anchor.h"

namespace jprof {

bool LoadAnchor(const HotspotLayout& vm, uint64_t address, JavaFrameAnchor* anchor) {
  int64_t sp = 0;
  int64_t pc = 0;
  int64_t fp = 0;
  if (!vm.anchor_sp.Load(address, &sp) || !vm.anchor_pc.Load(address, &pc) ||
      !vm.anchor_fp.Load(address, &fp)) {
    return false;
  }
  *anchor = {static_cast<uint64_t>(sp), static_cast<uint64_t>(pc), static_cast<uint64_t>(fp)};
  if (anchor->sp == 0 || anchor->pc != 0) return true;
  // A call leaves it to the return address below the stack pointer
  // (jdk-17+35 src/hotspot/cpu/x86/frame_x86.cpp, JavaFrameAnchor::capture_last_Java_pc).
  return GuardedLoad(anchor->sp - sizeof(uint64_t), &anchor->pc);
}

}  // namespace jprof
