// Native half of test/java/context/VisitorContext.java: a native thread that enters the JVM twice.
#include <jni.h>
#include <pthread.h>

#include "native/burner.h"

namespace {

constexpr jlong kBurnNanos = 200'000'000;

JavaVM* g_vm = nullptr;
jclass g_class = nullptr;

void CallInJava(const char* method) {
  JNIEnv* jni = nullptr;
  if (g_vm->AttachCurrentThread(reinterpret_cast<void**>(&jni), nullptr) != JNI_OK) abort();
  jni->CallStaticVoidMethod(g_class, jni->GetStaticMethodID(g_class, method, "()V"));
  if (jni->ExceptionCheck() != JNI_FALSE) abort();
  g_vm->DetachCurrentThread();
}

}  // namespace

extern "C" {

__attribute__((noinline)) jlong visitor_outside() {
  const jlong begin = jprof::test::CpuNanos();
  volatile unsigned value = 1;
  while (jprof::test::CpuNanos() - begin < kBurnNanos) {
    for (int i = 0; i < 20'000; ++i) value = value * 1664525U + 1013904223U;
  }
  return jprof::test::CpuNanos() - begin;
}

JNIEXPORT jlong JNICALL Java_VisitorContext_visit(JNIEnv* jni, jclass type) {
  jni->GetJavaVM(&g_vm);
  g_class = static_cast<jclass>(jni->NewGlobalRef(type));
  pthread_t thread{};
  jlong burnt = 0;
  const auto body = [](void* result) -> void* {
    CallInJava("first");
    *static_cast<jlong*>(result) = visitor_outside();
    CallInJava("second");
    return nullptr;
  };
  if (pthread_create(&thread, nullptr, body, &burnt) != 0) abort();
  pthread_join(thread, nullptr);
  return burnt;
}

}  // extern "C"
