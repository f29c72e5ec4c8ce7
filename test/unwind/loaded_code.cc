// A library that tests load and unload. JPROF_FRAME_BYTES is the size of its function's frame. Some
// builds have the same file size and build id, and differ only in this size.

extern "C" __attribute__((visibility("default"))) void jprof_test_loaded_code(
    void (*function)(void*), void* argument) {
  char frame[JPROF_FRAME_BYTES];
  asm volatile("" : : "r"(frame) : "memory");
  function(argument);
  asm volatile("" : : "r"(frame) : "memory");
}
