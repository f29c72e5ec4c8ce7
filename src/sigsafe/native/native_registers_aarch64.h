// The registers that a walk of native frames tracks, on AArch64. Other files include
// native_registers.h, which the build maps to this file.
//
// Async-signal-safe. The numbers of registers are DWARF's (DWARF for the Arm 64-bit Architecture
// 2023Q3, "DWARF register names").
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>

namespace jprof {

struct NativeRegisters {
  uint64_t pc = 0;
  uint64_t sp = 0;
  uint64_t fp = 0;     // x29
  uint64_t saved = 0;  // x30, the link register
};

inline constexpr uint8_t kFramePointerNumber = 29;
inline constexpr uint8_t kStackPointerNumber = 31;
inline constexpr uint8_t kSavedNumber = 30;
inline constexpr uint8_t kReturnAddressNumber = 30;
inline constexpr uint64_t kStackAlignment = 16;

// False: a call instruction does not push, so a function that has saved nothing has its caller's
// sp.
inline constexpr bool kCallsPush = false;

inline NativeRegisters NativeRegistersOf(const ucontext_t* context) {
  const mcontext_t& registers = context->uc_mcontext;
  return {registers.pc, registers.sp, registers.regs[29], registers.regs[30]};
}

// Reads any register of the interrupted function. Returns false if there is no register `number`.
inline bool InterruptedRegister(const ucontext_t* context, uint8_t number, uint64_t* value) {
  if (number > kStackPointerNumber) return false;
  const mcontext_t& registers = context->uc_mcontext;
  *value = number == kStackPointerNumber ? registers.sp : registers.regs[number];
  return true;
}

// Removes the signature of pointer authentication. xpaclri is a hint: a no-op on processors without
// such signatures (Arm Architecture Reference Manual, C6.2 XPACD, XPACI, XPACLRI).
inline uint64_t PlainReturnAddress(uint64_t stored) {
  register uint64_t link asm("x30") = stored;
  asm("hint #7" : "+r"(link));
  return link;
}

}  // namespace jprof
