// Native half of test/java/workloads/Attachers.java: threads that enter and leave the JVM.
#include <jni.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <vector>

namespace {

std::atomic<bool> g_ended{false};
std::atomic<jlong> g_attached{0};
std::vector<pthread_t> g_threads;

void* EnterAndLeave(void* argument) {
  auto* const vm = static_cast<JavaVM*>(argument);
  while (!g_ended.load()) {
    void* jni = nullptr;
    if (vm->AttachCurrentThreadAsDaemon(&jni, nullptr) != JNI_OK) abort();
    g_attached.fetch_add(1);
    vm->DetachCurrentThread();
  }
  return nullptr;
}

}  // namespace

extern "C" {

JNIEXPORT void JNICALL Java_Attachers_begin(JNIEnv* jni, jclass, jint threads) {
  JavaVM* vm = nullptr;
  if (jni->GetJavaVM(&vm) != JNI_OK) abort();
  g_threads.resize(static_cast<size_t>(threads));
  for (pthread_t& thread : g_threads) {
    if (pthread_create(&thread, nullptr, EnterAndLeave, vm) != 0) abort();
  }
}

// Ends the threads, and returns how often they have attached to the JVM in total.
JNIEXPORT jlong JNICALL Java_Attachers_end(JNIEnv*, jclass) {
  g_ended.store(true);
  for (const pthread_t thread : g_threads) pthread_join(thread, nullptr);
  return g_attached.load();
}

}  // extern "C"
