// The registers of an interrupted thread, x86-64 (System V ABI, Linux ucontext).
#pragma once

#include <ucontext.h>

#include <cerrno>
#include <cstdint>

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

// What a leaf function returns to, where that is in a register: not here, 0.
inline uint64_t ReturnRegister(const ucontext_t*) { return 0; }

// Where HotSpot's interpreter, about to enter a method, has the return address (while it is not on
// the stack) and the stack pointer of the caller: rax and r13 (jdk-17+35
// src/hotspot/cpu/x86/templateInterpreterGenerator_x86.cpp, generate_normal_entry).
inline uint64_t EnteredReturnRegister(const ucontext_t* context) {
  return static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RAX]);
}
inline uint64_t SenderSpRegister(const ucontext_t* context) {
  return static_cast<uint64_t>(context->uc_mcontext.gregs[REG_R13]);
}

// Whether the signal woke the thread from a blocking system call. The kernel then either rewound
// the pc onto the `syscall` instruction to restart it, or lets it return -EINTR
// (Linux v6.1 arch/x86/kernel/signal.c, handle_signal).
// The bytes around pc belong to the code being executed, on one page: readable.
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

}  // namespace jprof
