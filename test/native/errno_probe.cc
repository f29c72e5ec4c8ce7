// Native half of test/java/workloads/ErrnoProbe.java.
#include <jni.h>

#include <cerrno>

namespace {

// A value that is no errno of Linux, so that every change of errno is noticed.
constexpr int kMarker = 0x5a5a;
constexpr int kBurnIterations = 50;

}  // namespace

extern "C" JNIEXPORT jint JNICALL Java_ErrnoProbe_countChanges(JNIEnv*, jclass, jint looks) {
  volatile int* const own_errno = &errno;  // volatile so that every loop reads it
  jint changes = 0;
  volatile unsigned value = 1;
  for (jint i = 0; i < looks; ++i) {
    *own_errno = kMarker;
    for (int k = 0; k < kBurnIterations; ++k) value = value * 1664525U + 1013904223U;
    if (*own_errno != kMarker) ++changes;
  }
  return changes;
}
