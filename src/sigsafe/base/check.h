// JPROF_CHECK(condition): verifies a precondition or an invariant in debug, sanitizer and fuzz
// builds (CMake option JPROF_CHECKS). If the condition is false, the process traps at the line of
// the check. In a release build the condition is compiled but never evaluated.
//
// Async-signal-safe if the condition is. The macro does not check input from users, files, the VM
// or the kernel: code that reads such input reports an error if the input is invalid. REQUIRES: the
// condition has no side effects.
#pragma once

#ifdef JPROF_CHECKS
#define JPROF_CHECK(condition)                               \
  do {                                                       \
    if (__builtin_expect(!(condition), 0)) __builtin_trap(); \
  } while (false)
#else
#define JPROF_CHECK(condition) static_cast<void>(sizeof(!(condition)))
#endif
