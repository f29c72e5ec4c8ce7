// A library whose code the tests look up by address, and then unload.
extern "C" __attribute__((visibility("default"), noinline)) int jprof_test_named_code(int value) {
  return value * 3 + 1;
}
