// The registers of an interrupted thread on AArch64 (Linux ucontext). Other files include
// registers.h, which the build maps to this file.
#pragma once

#include <ucontext.h>

#include <cerrno>
#include <cstdint>

#include "sigsafe/base/check.h"
#include "sigsafe/base/types.h"

namespace jprof {

inline Pc ProgramCounter(const ucontext_t* context) { return Pc{context->uc_mcontext.pc}; }

inline void SetProgramCounter(ucontext_t* context, Pc pc) { context->uc_mcontext.pc = Value(pc); }

inline uint64_t StackPointer(const ucontext_t* context) { return context->uc_mcontext.sp; }

inline uint64_t FramePointer(const ucontext_t* context) { return context->uc_mcontext.regs[29]; }

// Returns the value of the register that has the return address in a leaf function.
inline uint64_t ReturnRegister(const ucontext_t* context) { return context->uc_mcontext.regs[30]; }

// While HotSpot's interpreter enters a method, EnteredReturnRegister (lr) has the return address
// (jdk-25+36 src/hotspot/cpu/aarch64/templateInterpreterGenerator_aarch64.cpp,
// generate_normal_entry).
inline uint64_t EnteredReturnRegister(const ucontext_t* context) {
  return context->uc_mcontext.regs[30];
}
inline uint64_t FirstArgumentRegister(const ucontext_t* context) {
  return context->uc_mcontext.regs[0];
}

// While the interpreter runs a method that calls no other, BytecodeRegister (x22) points to the
// current bytecode (jdk-25+36 src/hotspot/cpu/aarch64/interp_masm_aarch64.cpp, dispatch_next).
inline uint64_t BytecodeRegister(const ucontext_t* context) {
  return context->uc_mcontext.regs[22];
}

// True if the signal woke the thread from a blocking system call. The kernel has then either moved
// the pc back to the `svc #0` instruction, to restart the system call, or made the system call
// return -EINTR (Linux v6.1 arch/arm64/kernel/signal.c, do_signal). The words around pc are
// readable, because they are on the page of the code that the thread executes.
inline bool WasBlockedInSyscall(const ucontext_t* context) {
  constexpr uint32_t kSvc0 = 0xd4000001;
  constexpr uint64_t kPageMask = 4095;
  const uint64_t pc = context->uc_mcontext.pc;
  const auto* code = reinterpret_cast<const uint32_t*>(pc);
  if (code[0] == kSvc0) return true;
  return static_cast<int64_t>(context->uc_mcontext.regs[0]) == -EINTR && (pc & kPageMask) >= 4 &&
         code[-1] == kSvc0;
}

// Returns the number of the system call that the signal interrupted. The number is still in x8.
// REQUIRES: WasBlockedInSyscall(context).
inline long BlockedSyscallNumber(const ucontext_t* context) {
  JPROF_CHECK(WasBlockedInSyscall(context));
  return static_cast<long>(context->uc_mcontext.regs[8]);
}

}  // namespace jprof
