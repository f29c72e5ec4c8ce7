// Native half of test/java/context/VisitorContext.java: a native thread that enters the JVM twice.
//
// The library is also another JVMTI agent. Its callbacks run after the profiler's, and call Java
// when the thread starts and when it ends.
#include <jni.h>
#include <jvmti.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "native/burner.h"

namespace {

constexpr jlong kBurnNanos = 200'000'000;

JavaVM* g_vm = nullptr;
jclass g_class = nullptr;
thread_local bool t_is_visitor = false;

void Call(JNIEnv* jni, const char* method) {
  jni->CallStaticVoidMethod(g_class, jni->GetStaticMethodID(g_class, method, "()V"));
  if (jni->ExceptionCheck() != JNI_FALSE) abort();
}

void CallInJava(const char* method) {
  JNIEnv* jni = nullptr;
  if (g_vm->AttachCurrentThread(reinterpret_cast<void**>(&jni), nullptr) != JNI_OK) abort();
  Call(jni, method);
  g_vm->DetachCurrentThread();
}

void JNICALL OnThreadStart(jvmtiEnv*, JNIEnv* jni, jthread) {
  if (t_is_visitor) Call(jni, "begins");
}

void JNICALL OnThreadEnd(jvmtiEnv*, JNIEnv* jni, jthread) {
  if (t_is_visitor) Call(jni, "ends");
}

// True if the process has a mapping with this name. May be called in a child of fork, because
// glibc's malloc works there.
bool HasMapping(const char* name) {
  FILE* const maps = fopen("/proc/self/maps", "re");
  if (maps == nullptr) return true;
  bool has = false;
  for (char line[512]; fgets(line, sizeof line, maps) != nullptr;) {
    has |= strstr(line, name) != nullptr;
  }
  fclose(maps);
  return has;
}

void ListenToThreads() {
  jvmtiEnv* jvmti = nullptr;
  if (g_vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_1_1) != JNI_OK) abort();
  jvmtiEventCallbacks callbacks{};
  callbacks.ThreadStart = OnThreadStart;
  callbacks.ThreadEnd = OnThreadEnd;
  jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
  jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_THREAD_START, nullptr);
  jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_THREAD_END, nullptr);
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

// Forks a child that continues without exec, and returns its exit code: 0 if it has no process
// context of its own.
JNIEXPORT jint JNICALL Java_VisitorContext_childOfFork(JNIEnv*, jclass) {
  const pid_t child = fork();
  if (child < 0) abort();
  if (child == 0) {
    visitor_outside();
    _exit(HasMapping("OTEL_CTX") ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

JNIEXPORT jlong JNICALL Java_VisitorContext_visit(JNIEnv* jni, jclass type) {
  jni->GetJavaVM(&g_vm);
  g_class = static_cast<jclass>(jni->NewGlobalRef(type));
  ListenToThreads();
  pthread_t thread{};
  jlong burnt = 0;
  const auto body = [](void* result) -> void* {
    t_is_visitor = true;
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
