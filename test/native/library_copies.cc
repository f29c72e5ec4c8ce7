// Native half of test/java/workloads/LibraryCopies.java: the function that each copy of this
// library runs, and a function that loads and unloads another library.
#include <dlfcn.h>
#include <jni.h>

#include <ctime>

#include "native/burner.h"

#define NOINLINE __attribute__((noinline))

// The functions do more after the call of their callee, so that the compiler keeps their frames on
// the stack.
extern "C" {

NOINLINE jlong copied_innermost(jlong nanos) {
  const jlong begin = jprof::test::CpuNanos();
  volatile unsigned value = 1;
  while (jprof::test::CpuNanos() - begin < nanos) {
    for (int i = 0; i < 20'000; ++i) value = value * 1664525U + 1013904223U;
  }
  return jprof::test::CpuNanos() - begin;
}

NOINLINE jlong copied_middle(jlong nanos) {
  char frame[300];
  asm volatile("" : : "r"(frame) : "memory");
  const jlong used = copied_innermost(nanos);
  asm volatile("" : : "r"(frame) : "memory");
  return used;
}

JNIEXPORT jlong JNICALL Java_LibraryCopy_burn(JNIEnv*, jclass, jlong nanos) {
  const jlong used = copied_middle(nanos);
  return used < 0 ? 0 : used;
}

JNIEXPORT void JNICALL Java_LibraryCopies_loadAndUnload(JNIEnv* jni, jclass, jstring path) {
  void* const library = dlopen(jprof::test::TextOf(jni, path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) abort();
  dlclose(library);
}

}  // extern "C"
