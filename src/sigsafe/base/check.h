// JPROF_CHECK(condition): a precondition or an invariant, verified where the build asks for that
// (CMake option JPROF_CHECKS: debug, sanitizer and fuzz builds). There a false condition ends the
// process by a trap, at that line. In a release the condition is compiled and never evaluated.
//
// Async-signal-safe as far as the condition is. Never for input of users, files, the VM or the
// kernel, which is answered with an error, and never with a side effect.
#pragma once

#ifdef JPROF_CHECKS
#define JPROF_CHECK(condition)                               \
  do {                                                       \
    if (__builtin_expect(!(condition), 0)) __builtin_trap(); \
  } while (false)
#else
#define JPROF_CHECK(condition) static_cast<void>(sizeof(!(condition)))
#endif
