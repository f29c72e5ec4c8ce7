// RawSyscall on AArch64. Include raw_syscall.h, which has its contract.
#pragma once

namespace jprof {

// Registers: number in x8, arguments in x0-x5, result in x0 (Linux v6.1
// arch/arm64/kernel/syscall.c, el0_svc_common and invoke_syscall).
inline long RawSyscall(long number, long a0 = 0, long a1 = 0, long a2 = 0, long a3 = 0, long a4 = 0,
                       long a5 = 0) {
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a0;
  register long x1 asm("x1") = a1;
  register long x2 asm("x2") = a2;
  register long x3 asm("x3") = a3;
  register long x4 asm("x4") = a4;
  register long x5 asm("x5") = a5;
  asm volatile("svc #0"
               : "+r"(x0)
               : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
               : "memory");
  return x0;
}

}  // namespace jprof
