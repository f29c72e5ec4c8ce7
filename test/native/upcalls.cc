// Native half of test/java/workloads/Upcalls.java: calls a function pointer.
#include <cstdint>

extern "C" __attribute__((visibility("default"), noinline)) void jprof_call_back(
    void (*function)(int64_t), int64_t nanos) {
  function(nanos);
  asm volatile("" ::: "memory");  // keeps the call from being a tail call
}
