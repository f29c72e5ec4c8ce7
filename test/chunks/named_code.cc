// The source of two libraries. Tests look up addresses in a library, and then unload the library.
// The libraries differ only in the name of their function, so that one can be loaded where the
// other was.
extern "C" __attribute__((visibility("default"), noinline)) int JPROF_FUNCTION(int value) {
  return value * 3 + 1;
}
