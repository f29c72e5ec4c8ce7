// The source of two libraries whose code the tests look up by address and then unload. They differ
// only in the name of their function, so that one can be loaded where the other was.
extern "C" __attribute__((visibility("default"), noinline)) int JPROF_FUNCTION(int value) {
  return value * 3 + 1;
}
