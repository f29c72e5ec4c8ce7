// Native half of test/java/workloads/PrimingLate.java, loaded while the profiler runs.
#include "native/burner.h"

extern "C" JNIEXPORT jlong JNICALL Java_PrimingLate_burnInThread(JNIEnv* jni, jclass, jstring name,
                                                                 jlong nanos) {
  return jprof::test::Burner(jprof::test::TextOf(jni, name)).BurnAndEnd(nanos);
}
