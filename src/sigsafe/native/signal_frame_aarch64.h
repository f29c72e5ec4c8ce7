// SignalFrameRule returns the unwind rule that leads from the kernel's signal trampoline to the
// interrupted code. Other files include signal_frame.h, which the build maps to this file.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>

#include "sigsafe/native/native_registers.h"
#include "sigsafe/native/unwind_table.h"

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

}  // namespace jprof
