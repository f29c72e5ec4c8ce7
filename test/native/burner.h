// Burner: a pthread that uses CPU time on request. It is created through the import slot of the
// library that includes this file.
#pragma once

#include <jni.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

namespace jprof::test {

inline jlong CpuNanos() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return jlong{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

class Burner {
 public:
  // If `vm` is not nullptr, the thread is attached to it while it burns; otherwise it remains
  // unknown to the JVM.
  explicit Burner(std::string name, JavaVM* vm = nullptr) : name_(std::move(name)), vm_(vm) {
    sem_init(&begin_, 0, 0);
    if (pthread_create(&thread_, nullptr, Run, this) != 0) abort();
  }
  ~Burner() { sem_destroy(&begin_); }
  Burner(const Burner&) = delete;
  Burner& operator=(const Burner&) = delete;

  // Lets the thread burn `nanos` of CPU time and end. Returns the CPU time that it has used since
  // this call.
  jlong BurnAndEnd(jlong nanos) {
    burn_ns_ = nanos;
    sem_post(&begin_);
    pthread_join(thread_, nullptr);
    return used_ns_;
  }

 private:
  static void* Run(void* self) {
    static_cast<Burner*>(self)->Serve();
    return nullptr;
  }

  void Serve() {
    pthread_setname_np(pthread_self(), name_.c_str());
    while (sem_wait(&begin_) != 0) {
    }
    if (name_ != "short") {
      std::printf("tid.%s.0=%ld\n", name_.c_str(), static_cast<long>(syscall(SYS_gettid)));
      std::fflush(stdout);
    }
    const jlong before_ns = CpuNanos();
    void* jni = nullptr;
    JavaVMAttachArgs arguments{JNI_VERSION_1_6, name_.data(), nullptr};
    if (vm_ != nullptr && vm_->AttachCurrentThread(&jni, &arguments) != JNI_OK) abort();
    volatile unsigned value = 1;
    while (CpuNanos() < before_ns + burn_ns_) {
      for (int i = 0; i < 2000; ++i) value = value * 1664525U + 1013904223U;
    }
    if (vm_ != nullptr) vm_->DetachCurrentThread();
    used_ns_ = CpuNanos() - before_ns;
  }

  std::string name_;
  JavaVM* const vm_;
  sem_t begin_;
  pthread_t thread_ = {};
  jlong burn_ns_ = 0;
  jlong used_ns_ = 0;
};

inline std::string TextOf(JNIEnv* jni, jstring text) {
  const char* chars = jni->GetStringUTFChars(text, nullptr);
  std::string copy(chars);
  jni->ReleaseStringUTFChars(text, chars);
  return copy;
}

}  // namespace jprof::test
