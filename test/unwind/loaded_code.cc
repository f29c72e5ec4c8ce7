// A library that tests load and unload.

extern "C" __attribute__((visibility("default"))) void jprof_test_loaded_code(
    void (*function)(void*), void* argument) {
  char frame[300];
  asm volatile("" : : "r"(frame) : "memory");
  function(argument);
  asm volatile("" : : "r"(frame) : "memory");
}
