// AtEveryInstruction: runs `body` one machine instruction at a time and calls `nested` in between,
// in a signal handler on the same thread. What holds after that holds wherever a signal may strike.
//
// x86-64 only, by the processor's trap flag: the kernel raises SIGTRAP after each instruction and
// clears the flag for the handler (Linux v6.1 arch/x86/kernel/signal.c, handle_signal). Not under
// ThreadSanitizer, whose runtime would be interrupted in the middle of itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace jprof::test {

using StepBody = void (*)(void* argument);

// The instruction of the body that follows a call of `nested`.
struct SteppedInstruction {
  int64_t system_call = -1;  // its number; -1: the instruction is no system call
  uint64_t argument = 0;     // the first
};

// REQUIRES: `nested` is running.
SteppedInstruction NextInstruction();

// The number of instructions at which `nested` ran.
size_t StepThrough(StepBody body, void* body_argument, StepBody nested, void* nested_argument);

template <typename Body, typename Nested>
size_t AtEveryInstruction(Body&& body, Nested&& nested) {
  using PlainBody = std::remove_reference_t<Body>;
  using PlainNested = std::remove_reference_t<Nested>;
  return StepThrough(
      [](void* argument) { (*static_cast<PlainBody*>(argument))(); }, std::addressof(body),
      [](void* argument) { (*static_cast<PlainNested*>(argument))(); }, std::addressof(nested));
}

}  // namespace jprof::test
