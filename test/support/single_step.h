// AtEveryInstruction: runs `body` one machine instruction at a time, and calls `nested` after each,
// in a signal handler on the same thread. If a property holds each time, it holds wherever a signal
// can interrupt the body.
//
// Only on x86-64, where the processor has a trap flag: the kernel raises SIGTRAP after each
// instruction, and clears the flag for the handler (Linux v6.1 arch/x86/kernel/signal.c,
// handle_signal). Not under ThreadSanitizer, because signals would interrupt its runtime in the
// middle of its own work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace jprof::test {

using StepBody = void (*)(void* argument);

// The next instruction of the body, seen from a call to `nested`.
struct SteppedInstruction {
  int64_t system_call = -1;  // number of the system call; -1 if it is another instruction
  uint64_t argument = 0;     // first argument of the system call
};

// Returns the instruction that the body executes next. REQUIRES: `nested` is running.
SteppedInstruction NextInstruction();

// Steps through the body. Returns the number of instructions after which `nested` ran.
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
