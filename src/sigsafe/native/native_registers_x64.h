// The registers that a walk of native frames tracks, on x86-64. Other files include
// native_registers.h, which the build maps to this file.
//
// Async-signal-safe. The numbers of registers are DWARF's (System V ABI, AMD64 Architecture
// Processor Supplement 1.0, figure 3.36).
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>

namespace jprof {

struct NativeRegisters {
  uint64_t pc = 0;
  uint64_t sp = 0;
  uint64_t fp = 0;     // rbp
  uint64_t saved = 0;  // rbx: the dynamic linker's resolver keeps its CFA there
};

inline constexpr uint8_t kFramePointerNumber = 6;
inline constexpr uint8_t kStackPointerNumber = 7;
inline constexpr uint8_t kSavedNumber = 3;
inline constexpr uint8_t kReturnAddressNumber = 16;
inline constexpr uint64_t kStackAlignment = 8;

// True: a call instruction pushes the return address, so the caller's sp is always above the
// callee's.
inline constexpr bool kCallsPush = true;

inline NativeRegisters NativeRegistersOf(const ucontext_t* context) {
  const auto& registers = context->uc_mcontext.gregs;
  return {static_cast<uint64_t>(registers[REG_RIP]), static_cast<uint64_t>(registers[REG_RSP]),
          static_cast<uint64_t>(registers[REG_RBP]), static_cast<uint64_t>(registers[REG_RBX])};
}

// Reads any register of the interrupted function. Returns false if there is no register `number`.
inline bool InterruptedRegister(const ucontext_t* context, uint8_t number, uint64_t* value) {
  constexpr int kIndex[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                            REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                            REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  if (number >= sizeof kIndex / sizeof kIndex[0]) return false;
  *value = static_cast<uint64_t>(context->uc_mcontext.gregs[kIndex[number]]);
  return true;
}

// Returns the address itself: return addresses are stored unmodified.
inline uint64_t PlainReturnAddress(uint64_t stored) { return stored; }

}  // namespace jprof
