// A library whose symbols are stripped into a file of their own (stripped/CMakeLists.txt).

__attribute__((noinline)) static int jprof_test_local_function(int n) {
  asm volatile("" : "+r"(n));
  return n + 1;
}

extern "C" __attribute__((visibility("default"))) void* jprof_test_address_of_local() {
  return reinterpret_cast<void*>(&jprof_test_local_function);
}
