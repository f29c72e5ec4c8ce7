// A library that native code loads while the profiler runs, without the JVM's knowledge.
#include "native/burner.h"

extern "C" __attribute__((visibility("default"))) jlong BurnInThread(const char* name,
                                                                     jlong nanos) {
  return jprof::test::Burner(name).BurnAndEnd(nanos);
}
