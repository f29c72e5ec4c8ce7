// Native half of test/java/workloads/ManyThreads.java: threads that wait in poll.
#include <fcntl.h>
#include <jni.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <vector>

namespace {

class Waiters {
 public:
  explicit Waiters(int count) {
    if (pipe2(gate_, O_CLOEXEC) != 0) abort();
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, size_t{64} * 1024);
    threads_.resize(static_cast<size_t>(count));
    for (pthread_t& thread : threads_) {
      if (pthread_create(&thread, &attributes, Wait, this) != 0) abort();
    }
    pthread_attr_destroy(&attributes);
  }

  int End() {
    if (write(gate_[1], "", 1) != 1) abort();
    for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
    return interrupted_;
  }

 private:
  static void* Wait(void* argument) {
    auto* const self = static_cast<Waiters*>(argument);
    pollfd gate{self->gate_[0], POLLIN, 0};
    if (poll(&gate, 1, -1) != 1) ++self->interrupted_;
    return nullptr;
  }

  int gate_[2] = {};
  std::atomic<int> interrupted_{0};
  std::vector<pthread_t> threads_;
};

}  // namespace

extern "C" {

JNIEXPORT jlong JNICALL Java_ManyThreads_startWaiters(JNIEnv*, jclass, jint count) {
  return reinterpret_cast<jlong>(new Waiters(count));
}

JNIEXPORT jint JNICALL Java_ManyThreads_endWaiters(JNIEnv*, jclass, jlong waiters) {
  return reinterpret_cast<Waiters*>(waiters)->End();
}

}  // extern "C"
