// Native half of test/java/workloads/NativeThreads.java: threads that the JVM does not know.
#include <jni.h>
#include <pthread.h>

#include <ctime>

namespace {

jlong CpuNanos() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return jlong{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

struct Task {
  jlong burn_ns;
  jlong used_ns;
};

void* Burn(void* argument) {
  auto* task = static_cast<Task*>(argument);
  pthread_setname_np(pthread_self(), "native-short");
  volatile unsigned value = 1;
  while (CpuNanos() < task->burn_ns) {
    for (int i = 0; i < 2000; ++i) value = value * 1664525U + 1013904223U;
  }
  task->used_ns = CpuNanos();
  return nullptr;
}

}  // namespace

// Starts `count` threads one after another, each of which burns `burn_ns` of CPU time. Returns
// their total CPU time.
extern "C" JNIEXPORT jlong JNICALL Java_NativeThreads_burn(JNIEnv*, jclass, jint count,
                                                           jlong burn_ns) {
  jlong used_ns = 0;
  for (jint i = 0; i < count; ++i) {
    Task task{burn_ns, 0};
    pthread_t thread;
    if (pthread_create(&thread, nullptr, Burn, &task) != 0) return -1;
    pthread_join(thread, nullptr);
    used_ns += task.used_ns;
  }
  return used_ns;
}
