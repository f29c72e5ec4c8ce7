// A wrapper such as epoll_wait pushes the number of the system call (the seventh argument of
// __syscall_cancel), sets up the other arguments and calls __syscall_cancel. So the number is on
// the stack and in the wrapper's code, but not in the code of the function that makes the system
// call (glibc 2.41 nptl/cancellation.c, sysdeps/unix/sysv/linux/x86_64/syscall_cancel.S):
//
//   push $number; mov … | xor …; call __syscall_cancel
#include <array>
#include <cstdint>
#include <cstring>

#include "sigsafe/os/cancellable_call.h"
#include "sigsafe/os/registers.h"
#include "sigsafe/os/safe_load.h"

namespace jprof {
namespace {

// The number of stack words that are searched, from the stack pointer at the system call upwards.
// In glibc 2.43 the pushed number is 11 words above the stack pointer.
constexpr size_t kWords = 24;
// The number of code bytes before the return address that are searched for the instruction that
// pushes the number.
constexpr size_t kCodeBytes = 32;
constexpr size_t kCallBytes = 5;
constexpr uint64_t kMostCalls = 1024;

// True if the code before `return_address` pushes `number`, a number of a system call, and ends
// with a call instruction.
bool PushesAndCalls(uint64_t return_address, uint64_t number) {
  constexpr uint8_t kCall = 0xe8;
  constexpr uint8_t kPushByte = 0x6a;
  constexpr uint8_t kPushInt = 0x68;
  std::array<uint8_t, kCodeBytes> code{};
  const auto* const from = reinterpret_cast<const void*>(return_address - kCodeBytes);
  if (SafeCopy(code.data(), from, kCodeBytes) != kCodeBytes) return false;
  constexpr size_t kEnd = kCodeBytes - kCallBytes;
  if (code[kEnd] != kCall) return false;
  for (size_t at = 0; at + kCallBytes <= kEnd; ++at) {
    uint32_t operand = 0;
    std::memcpy(&operand, &code[at + 1], sizeof operand);
    const bool pushes_byte = code[at] == kPushByte && code[at + 1] == number && number < 128;
    const bool pushes_int = code[at] == kPushInt && operand == number;
    if (pushes_byte || pushes_int) return true;
  }
  return false;
}

}  // namespace

long CancellableCallNumber(const ucontext_t* context) {
  std::array<uint64_t, kWords> stack{};
  const auto sp = static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RSP]);
  const size_t words =
      SafeCopy(stack.data(), reinterpret_cast<const void*>(sp), sizeof stack) / sizeof stack[0];
  for (size_t i = 0; i + 1 < words; ++i) {
    const bool is_small = stack[i + 1] < kMostCalls && stack[i] >= kMostCalls;
    if (is_small && PushesAndCalls(stack[i], stack[i + 1])) return static_cast<long>(stack[i + 1]);
  }
  return -1;
}

}  // namespace jprof
