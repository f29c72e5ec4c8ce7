// Native half of test/java/workloads/NestedCalls.java: each Java method is called through two C
// functions.
#include <jni.h>

#include <ctime>

#define NOINLINE __attribute__((noinline))

namespace {

jlong CpuNanos() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return jlong{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

// The functions do more after the call of their callee, so that the compiler keeps their frames on
// the stack.
extern "C" {

NOINLINE jlong nested_innermost(jlong nanos) {
  const jlong begin = CpuNanos();
  volatile unsigned value = 1;
  while (CpuNanos() - begin < nanos) {
    for (int i = 0; i < 20'000; ++i) value = value * 1664525U + 1013904223U;
  }
  return CpuNanos() - begin;
}

NOINLINE jlong nested_middle(JNIEnv* jni, jclass type, jlong nanos) {
  const jmethodID back = jni->GetStaticMethodID(type, "back", "(J)J");
  const jlong used = back == nullptr ? 0 : jni->CallStaticLongMethod(type, back, nanos);
  return jni->ExceptionCheck() != JNI_FALSE ? -1 : used;
}

JNIEXPORT jlong JNICALL Java_NestedCalls_enter(JNIEnv* jni, jclass type, jlong nanos) {
  const jlong used = nested_middle(jni, type, nanos);
  return used < 0 ? 0 : used;
}

JNIEXPORT jlong JNICALL Java_NestedCalls_burn(JNIEnv*, jclass, jlong nanos) {
  const jlong used = nested_innermost(nanos);
  return used < 0 ? 0 : used;
}

}  // extern "C"
