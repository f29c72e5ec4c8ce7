// The registers of an interrupted thread on x86-64 (System V ABI, Linux ucontext). Included as
// registers.h.
#pragma once

#include <ucontext.h>

#include <cerrno>
#include <cstdint>

#include "sigsafe/base/check.h"
#include "sigsafe/base/types.h"

namespace jprof {

inline Pc ProgramCounter(const ucontext_t* context) {
  return Pc{static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RIP])};
}

inline void SetProgramCounter(ucontext_t* context, Pc pc) {
  context->uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(Value(pc));
}

inline uint64_t StackPointer(const ucontext_t* context) {
  return static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RSP]);
}

inline uint64_t FramePointer(const ucontext_t* context) {
  return static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RBP]);
}

// The return address of a leaf function: 0, because no register of this processor holds it.
inline uint64_t ReturnRegister(const ucontext_t*) { return 0; }

// The return address (while it is not on the stack) and, in SenderSpRegister, the stack pointer of
// the caller while HotSpot's interpreter enters a method: rax and r13 (jdk-17+35
// src/hotspot/cpu/x86/templateInterpreterGenerator_x86.cpp, generate_normal_entry).
inline uint64_t EnteredReturnRegister(const ucontext_t* context) {
  return static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RAX]);
}
inline uint64_t FirstArgumentRegister(const ucontext_t* context) {
  return static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RDI]);
}
inline uint64_t SenderSpRegister(const ucontext_t* context) {
  return static_cast<uint64_t>(context->uc_mcontext.gregs[REG_R13]);
}

// True if the signal woke the thread from a blocking system call. The kernel then either rewound
// the pc onto the `syscall` instruction to restart it, or lets it return -EINTR (Linux v6.1
// arch/x86/kernel/signal.c, handle_signal). The bytes around pc belong to the code being executed,
// on one page: they are readable.
inline bool WasBlockedInSyscall(const ucontext_t* context) {
  constexpr uint8_t kSyscall[2] = {0x0f, 0x05};
  constexpr uint64_t kPageMask = 4095;
  const auto pc = static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RIP]);
  const auto* code = reinterpret_cast<const uint8_t*>(pc);
  if ((pc & kPageMask) != kPageMask && code[0] == kSyscall[0] && code[1] == kSyscall[1]) {
    return true;
  }
  return context->uc_mcontext.gregs[REG_RAX] == -EINTR && (pc & kPageMask) >= 2 &&
         code[-2] == kSyscall[0] && code[-1] == kSyscall[1];
}

// Returns the number of the system call that the signal interrupted; -1: unknown. REQUIRES:
// WasBlockedInSyscall(context).
//
// For a restarted system call the kernel has restored the number in rax (handle_signal, as above).
// Otherwise rax holds -EINTR, and the number is the operand of the preceding instruction, if that
// is one of the usual two: `mov $number, %eax`, or `xor %eax, %eax` for 0.
inline long BlockedSyscallNumber(const ucontext_t* context) {
  JPROF_CHECK(WasBlockedInSyscall(context));
  constexpr uint8_t kMovToEax = 0xb8;
  constexpr uint8_t kXorEax[2] = {0x31, 0xc0};
  constexpr uint64_t kPageMask = 4095;
  constexpr uint64_t kMovAndSyscall = 7;
  const auto pc = static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RIP]);
  const auto* code = reinterpret_cast<const uint8_t*>(pc);
  const long rax = context->uc_mcontext.gregs[REG_RAX];
  if (rax != -EINTR) return rax;
  if ((pc & kPageMask) < kMovAndSyscall) return -1;
  if (code[-7] == kMovToEax) {
    return static_cast<long>(code[-6]) | static_cast<long>(code[-5]) << 8 |
           static_cast<long>(code[-4]) << 16 | static_cast<long>(code[-3]) << 24;
  }
  return code[-4] == kXorEax[0] && code[-3] == kXorEax[1] ? 0 : -1;
}

}  // namespace jprof
