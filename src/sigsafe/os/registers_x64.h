// The registers of an interrupted thread on x86-64 (System V ABI, Linux ucontext). Other files
// include registers.h, which the build maps to this file.
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

// Returns 0: on this processor no register has the return address of a leaf function.
inline uint64_t ReturnRegister(const ucontext_t*) { return 0; }

// While HotSpot's interpreter enters a method, EnteredReturnRegister (rax) has the return address
// if that address is not on the stack (jdk-17+35
// src/hotspot/cpu/x86/templateInterpreterGenerator_x86.cpp, generate_normal_entry).
inline uint64_t EnteredReturnRegister(const ucontext_t* context) {
  return static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RAX]);
}
inline uint64_t FirstArgumentRegister(const ucontext_t* context) {
  return static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RDI]);
}

// While the interpreter runs a method that calls no other, BytecodeRegister (r13) points to the
// current bytecode (jdk-17+35 src/hotspot/cpu/x86/interp_masm_x86.cpp, dispatch_next).
inline uint64_t BytecodeRegister(const ucontext_t* context) {
  return static_cast<uint64_t>(context->uc_mcontext.gregs[REG_R13]);
}

// True if the signal woke the thread from a blocking system call. The kernel has then either moved
// the pc back to the `syscall` instruction, to restart the system call, or made the system call
// return -EINTR (Linux v6.1 arch/x86/kernel/signal.c, handle_signal). The bytes around pc are
// readable, because they are on the page of the code that the thread executes.
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

// Returns the number of the system call that the signal interrupted; -1 if it is unknown. REQUIRES:
// WasBlockedInSyscall(context).
//
// If the system call will be restarted, the kernel has restored its number in rax (Linux v6.1
// arch/x86/kernel/signal.c, handle_signal). Otherwise rax is -EINTR, and the number is taken from
// the instruction before `syscall`, if this instruction is `mov $number, %eax`, or `xor %eax, %eax`
// for the number 0.
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
