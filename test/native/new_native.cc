// Native methods of test/java/workloads/NewNatives.java. Each loaded copy of this library binds
// them again. The library is built with and without unwind tables; no function keeps a frame
// pointer.
#include <jni.h>

#include <ctime>

#include "native/burner.h"

extern "C" {

__attribute__((noinline)) static void new_native_inner() {
  volatile unsigned value = 1;
  for (int i = 0; i < 20'000; ++i) value = value * 1664525U + 1013904223U;
}

static void new_native_spin(JNIEnv*, jclass, jlong nanos) {
  const jlong end = jprof::test::CpuNanos() + nanos;
  while (jprof::test::CpuNanos() < end) new_native_inner();
}

static void new_native_sleep(JNIEnv*, jclass, jlong nanos) {
  timespec left{nanos / 1'000'000'000, nanos % 1'000'000'000};
  while (nanosleep(&left, &left) != 0) {
  }
}

static char g_spin[] = "spin";
static char g_sleep[] = "sleep";
static char g_signature[] = "(J)V";

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void*) {
  void* environment = nullptr;
  if (vm->GetEnv(&environment, JNI_VERSION_1_6) != JNI_OK) return JNI_ERR;
  auto* const jni = static_cast<JNIEnv*>(environment);
  const jclass natives = jni->FindClass("NewNatives");
  const JNINativeMethod methods[] = {
      {g_spin, g_signature, reinterpret_cast<void*>(&new_native_spin)},
      {g_sleep, g_signature, reinterpret_cast<void*>(&new_native_sleep)}};
  if (natives == nullptr || jni->RegisterNatives(natives, methods, 2) != JNI_OK) return JNI_ERR;
  return JNI_VERSION_1_6;
}

}  // extern "C"
