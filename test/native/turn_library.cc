// One of three libraries that are loaded one after another at the same address (library_turns.cc).
// They differ only in the names of their functions, which contain JPROF_TURN. The name of `inner`
// is only in .symtab; that of the other function is also in .dynsym.
#include <cstdint>

#include "native/burner.h"

#define NAME_OF(turn, rest) turn_##turn##_##rest
#define NAME(turn, rest) NAME_OF(turn, rest)

__attribute__((noinline)) static void NAME(JPROF_TURN, inner)() {
  volatile unsigned value = 1;
  for (int i = 0; i < 20'000; ++i) value = value * 1664525U + 1013904223U;
}

// Burns half of the time in this function and half in `inner`. Returns the CPU time used.
extern "C" __attribute__((visibility("default"), noinline)) int64_t NAME(JPROF_TURN,
                                                                         burn)(int64_t nanos) {
  const int64_t begin = jprof::test::CpuNanos();
  while (jprof::test::CpuNanos() - begin < nanos) {
    NAME(JPROF_TURN, inner)();
    volatile unsigned value = 1;
    for (int i = 0; i < 20'000; ++i) value = value * 1664525U + 1013904223U;
  }
  return jprof::test::CpuNanos() - begin;
}
