// JPROF_CHECK(condition): a precondition or an invariant, verified in debug, sanitizer and fuzz
// builds (CMake option JPROF_CHECKS), where a false condition traps at its line. In a release build
// the condition is compiled and never evaluated.
//
// Async-signal-safe if the condition is. Not for input from users, files, the VM or the kernel,
// which is answered with an error. REQUIRES: the condition has no side effects.
#pragma once

#ifdef JPROF_CHECKS
#define JPROF_CHECK(condition)                               \
  do {                                                       \
    if (__builtin_expect(!(condition), 0)) __builtin_trap(); \
  } while (false)
#else
#define JPROF_CHECK(condition) static_cast<void>(sizeof(!(condition)))
#endif
