// Native half of test/java/workloads/BlockedSignals.java: threads that block every asynchronous
// signal, as some libraries do for their own threads.
#include <jni.h>
#include <pthread.h>
#include <semaphore.h>

#include <csignal>
#include <ctime>
#include <initializer_list>

namespace {

jlong Now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return jlong{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void BlockAsynchronousSignals() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

struct Work {
  jlong burn_ns = 0;
  jlong sleep_ns = 0;
  jlong used_ns = 0;
  jlong lived_ns = 0;
};

sem_t g_begin;
sem_t g_done;
Work g_work;

// Burns CPU time, sleeps, reports both, and ends; the profiler is not notified of the end.
void* Run(void*) {
  const jlong begin_ns = Now(CLOCK_MONOTONIC);
  pthread_setname_np(pthread_self(), "native-blocked");
  BlockAsynchronousSignals();
  while (sem_wait(&g_begin) != 0) {
  }
  volatile unsigned value = 1;
  while (Now(CLOCK_THREAD_CPUTIME_ID) < g_work.burn_ns) {
    for (int i = 0; i < 2000; ++i) value = value * 1664525U + 1013904223U;
  }
  const timespec time{g_work.sleep_ns / 1'000'000'000, g_work.sleep_ns % 1'000'000'000};
  nanosleep(&time, nullptr);
  g_work.used_ns = Now(CLOCK_THREAD_CPUTIME_ID);
  g_work.lived_ns = Now(CLOCK_MONOTONIC) - begin_ns;
  sem_post(&g_done);
  return nullptr;
}

}  // namespace

// Starts the thread before the profiler hooks this library's import slots, so that it is notified
// neither of the thread's start nor of its end.
extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM*, void*) {
  sem_init(&g_begin, 0, 0);
  sem_init(&g_done, 0, 0);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, Run, nullptr) != 0) return JNI_ERR;
  pthread_detach(thread);
  return JNI_VERSION_1_8;
}

extern "C" JNIEXPORT void JNICALL Java_BlockedSignals_block(JNIEnv*, jclass) {
  BlockAsynchronousSignals();
}

extern "C" JNIEXPORT void JNICALL Java_BlockedSignals_startNative(JNIEnv*, jclass, jlong burn_ns,
                                                                  jlong sleep_ns) {
  g_work.burn_ns = burn_ns;
  g_work.sleep_ns = sleep_ns;
  sem_post(&g_begin);
}

extern "C" JNIEXPORT void JNICALL Java_BlockedSignals_awaitNative(JNIEnv*, jclass) {
  while (sem_wait(&g_done) != 0) {
  }
}

// Returns the total CPU time of the native thread.
extern "C" JNIEXPORT jlong JNICALL Java_BlockedSignals_nativeCpuNanos(JNIEnv*, jclass) {
  return g_work.used_ns;
}
extern "C" JNIEXPORT jlong JNICALL Java_BlockedSignals_nativeWallNanos(JNIEnv*, jclass) {
  return g_work.lived_ns;
}
