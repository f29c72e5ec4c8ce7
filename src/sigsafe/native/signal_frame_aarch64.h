// SignalFrameRule returns the unwind rule that leads from the kernel's signal trampoline to the
// interrupted code. IsSignalTrampoline recognises the trampoline by its code. Other files include
// signal_frame.h, which the build maps to this file.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>

#include "sigsafe/native/native_registers.h"
#include "sigsafe/native/unwind_table.h"
#include "sigsafe/os/guarded_load.h"

namespace jprof {

// Returns a rule that reads the registers from the kernel's signal frame. The vDSO describes its
// trampoline by the frame record that the kernel pushed. That record is not enough, because it has
// the link register of the interrupted function in place of the function's pc. The signal frame has
// all registers: siginfo at sp, then ucontext (Linux v6.1 arch/arm64/kernel/signal.c, struct
// rt_sigframe). `described` is the rule of the vDSO.
inline UnwindRule SignalFrameRule(const UnwindRule& described) {
  constexpr size_t kRegisters =
      sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext) + offsetof(mcontext_t, regs);
  const auto at = [](size_t index) {
    return Place{PlaceKind::kAtRegister, kStackPointerNumber,
                 static_cast<int32_t>(kRegisters + index * sizeof(uint64_t))};
  };
  UnwindRule rule = described;
  rule.cfa = CfaKind::kAtRegister;
  rule.cfa_register = kStackPointerNumber;
  rule.cfa_offset = at(31).offset;
  rule.cfa_detail = 0;
  rule.return_address = at(32);
  rule.frame_pointer = at(kFramePointerNumber);
  rule.saved = at(kSavedNumber);
  return rule;
}

// True if `pc` is the kernel's signal trampoline: mov x8, #139; svc #0. Newer kernels have no unwind
// information for it (Linux v6.1 arch/arm64/kernel/vdso/sigreturn.S). REQUIRES: the faults of guarded
// loads are caught.
inline bool IsSignalTrampoline(uint64_t pc) {
  constexpr uint64_t kTrampoline = 0xd4000001d2801168;
  uint64_t code = 0;
  return pc % sizeof(uint32_t) == 0 && GuardedLoad(pc, &code) && code == kTrampoline;
}

}  // namespace jprof
