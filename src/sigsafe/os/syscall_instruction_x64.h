// RawSyscall on x86-64. Include raw_syscall.h, which has its contract.
#pragma once

namespace jprof {

// Registers: Linux v6.1 arch/x86/entry/entry_64.S, comment above entry_SYSCALL_64.
inline long RawSyscall(long number, long a0 = 0, long a1 = 0, long a2 = 0, long a3 = 0, long a4 = 0,
                       long a5 = 0) {
  register long r10 asm("r10") = a3;
  register long r8 asm("r8") = a4;
  register long r9 asm("r9") = a5;
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a0), "S"(a1), "d"(a2), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

}  // namespace jprof
