// AtEveryInstruction: runs `body` one machine instruction at a time and calls `nested` after each,
// in a signal handler on the same thread. A property that holds after this holds wherever a signal
// can interrupt the body.
//
// x86-64 only, with the processor's trap flag: the kernel raises SIGTRAP after each instruction and
// clears the flag for the handler (Linux v6.1 arch/x86/kernel/signal.c, handle_signal). Not under
// ThreadSanitizer, whose runtime would be interrupted in the middle of its own work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace jprof::test {

using StepBody = void (*)(void* argument);

// The instruction of the body that follows a call to `nested`.
struct SteppedInstruction {
  int64_t system_call = -1;  // number of the system call; -1 if the instruction is none
  uint64_t argument = 0;     // first argument
};

// Returns the instruction that the body executes next. REQUIRES: `nested` is running.
SteppedInstruction NextInstruction();

// Returns the number of instructions at which `nested` ran.
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
