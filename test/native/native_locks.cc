// Native half of test/java/workloads/NativeLocks.java: threads wait for pthread locks and measure
// the waits with their own clocks.
#include <dlfcn.h>
#include <jni.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>

namespace {

constexpr int64_t kNanosOfSecond = 1'000'000'000;

int64_t Now(clockid_t clock = CLOCK_MONOTONIC) {
  timespec time{};
  clock_gettime(clock, &time);
  return int64_t{time.tv_sec} * kNanosOfSecond + time.tv_nsec;
}

timespec In(int64_t nanos, clockid_t clock = CLOCK_REALTIME) {
  const int64_t at = Now(clock) + nanos;
  return {at / kNanosOfSecond, at % kNanosOfSecond};
}

void Sleep(int64_t nanos) {
  const timespec time{nanos / kNanosOfSecond, nanos % kNanosOfSecond};
  nanosleep(&time, nullptr);
}

pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t g_timed = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t g_rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_mutex_t g_guard = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t g_condition = PTHREAD_COND_INITIALIZER;

struct Measured {
  int64_t total = 0;
  int64_t longest = 0;

  template <typename Call>
  int Time(Call call) {
    const int64_t begin = Now();
    const int code = call();
    const int64_t took = Now() - begin;
    total += took;
    longest = std::max(longest, took);
    return code;
  }
};

void OnMutex(int rounds, int64_t hold, Measured& measured) {
  for (int i = 0; i < rounds; ++i) {
    measured.Time([] { return pthread_mutex_lock(&g_mutex); });
    Sleep(hold);
    pthread_mutex_unlock(&g_mutex);
    Sleep(hold / 4);
  }
}

void OnTimed(int rounds, int64_t hold, Measured& measured) {
  for (int i = 0; i < rounds; ++i) {
    const timespec until = In(3 * hold);
    const int code = measured.Time([&] { return pthread_mutex_timedlock(&g_timed, &until); });
    if (code != 0) continue;
    Sleep(hold);
    pthread_mutex_unlock(&g_timed);
    Sleep(hold / 4);
  }
}

void OnRead(int rounds, int64_t hold, Measured& measured) {
  for (int i = 0; i < rounds; ++i) {
    measured.Time([] { return pthread_rwlock_rdlock(&g_rwlock); });
    Sleep(hold / 4);
    pthread_rwlock_unlock(&g_rwlock);
    Sleep(hold / 2);
  }
}

void OnWrite(int rounds, int64_t hold, Measured& measured) {
  for (int i = 0; i < rounds; ++i) {
    measured.Time([] { return pthread_rwlock_wrlock(&g_rwlock); });
    Sleep(hold);
    pthread_rwlock_unlock(&g_rwlock);
    Sleep(hold);
  }
}

// Waits for a condition that is never signalled, so that each wait ends at its timeout.
void OnCondition(int rounds, int64_t hold, Measured& measured) {
  for (int i = 0; i < rounds; ++i) {
    const timespec until = In(hold);
    pthread_mutex_lock(&g_guard);
    measured.Time([&] { return pthread_cond_timedwait(&g_condition, &g_guard, &until); });
    pthread_mutex_unlock(&g_guard);
  }
}

constexpr struct {
  const char* kind;
  const void* lock;
  void (*run)(int rounds, int64_t hold, Measured& measured);
} kKinds[] = {{"mutex", &g_mutex, OnMutex},
              {"timed", &g_timed, OnTimed},
              {"read", &g_rwlock, OnRead},
              {"write", &g_rwlock, OnWrite},
              {"condition", &g_condition, OnCondition}};

// Collects the results of calls by the names of their codes. Adds ":errno" if a call has changed
// errno.
class Codes {
 public:
  template <typename Call>
  void Add(Call call) {
    errno = 77;
    const int code = call();
    text_ += text_.empty() ? "" : " ";
    text_ += code == 0 ? "0" : strerrorname_np(code);
    if (errno != 77) text_ += ":errno";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

template <typename Run>
void InAnotherThread(Run run) {
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void* argument) -> void* {
        (*static_cast<Run*>(argument))();
        return nullptr;
      },
      &run);
  pthread_join(thread, nullptr);
}

pthread_mutex_t* NewMutex(int type, int robust) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setrobust(&attributes, robust);
  auto* const mutex = new pthread_mutex_t;
  pthread_mutex_init(mutex, &attributes);
  return mutex;
}

std::string ResultsOfCalls() {
  Codes codes;
  pthread_mutex_t* const checked = NewMutex(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
  pthread_mutex_t* const recursive = NewMutex(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
  pthread_mutex_t* const robust = NewMutex(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
  pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  const timespec soon = In(2'000'000);
  const timespec soon_monotonic = In(2'000'000, CLOCK_MONOTONIC);
  const timespec never{0, -1};
  codes.Add([&] { return pthread_cond_timedwait(&condition, checked, &soon); });  // not locked
  codes.Add([&] { return pthread_mutex_lock(checked); });
  codes.Add([&] { return pthread_mutex_lock(checked); });
  codes.Add([&] { return pthread_cond_timedwait(&condition, checked, &soon); });
  codes.Add([&] { return pthread_cond_timedwait(&condition, checked, &never); });
  codes.Add([&] { return pthread_mutex_lock(recursive); });
  codes.Add([&] { return pthread_mutex_lock(recursive); });
  InAnotherThread([&] {
    codes.Add([&] { return pthread_mutex_timedlock(recursive, &soon); });
    codes.Add([&] { return pthread_mutex_timedlock(recursive, &never); });
    codes.Add([&] { return pthread_mutex_clocklock(recursive, CLOCK_MONOTONIC, &soon_monotonic); });
  });
  InAnotherThread([&] { pthread_mutex_lock(robust); });
  codes.Add([&] { return pthread_mutex_lock(robust); });
  codes.Add([&] { return pthread_mutex_unlock(robust); });  // makes it unusable: not consistent
  codes.Add([&] { return pthread_mutex_lock(robust); });
  codes.Add([&] { return pthread_rwlock_wrlock(&rwlock); });
  codes.Add([&] { return pthread_rwlock_rdlock(&rwlock); });
  codes.Add([&] { return pthread_rwlock_wrlock(&rwlock); });
  InAnotherThread([&] {
    codes.Add([&] { return pthread_rwlock_timedrdlock(&rwlock, &soon); });
    codes.Add([&] { return pthread_rwlock_timedwrlock(&rwlock, &never); });
  });
  return codes.text();
}

struct SetsFlag {
  ~SetsFlag() { *flag = true; }
  bool* flag;
};

// True if a thread that is cancelled while it waits runs its destructors and its cleanup handlers.
bool CancelsCleanly() {
  static bool destroyed = false;
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  static std::atomic<bool> waits{false};
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        const SetsFlag object{&destroyed};
        pthread_mutex_lock(&mutex);
        pthread_cleanup_push([](void*) { pthread_mutex_unlock(&mutex); }, nullptr);
        waits = true;
        for (;;) pthread_cond_wait(&condition, &mutex);
        pthread_cleanup_pop(0);
      },
      nullptr);
  while (!waits) Sleep(1'000'000);
  pthread_mutex_lock(&mutex);  // succeeds when the thread waits for the condition
  pthread_mutex_unlock(&mutex);
  pthread_cancel(thread);
  void* result = nullptr;
  pthread_join(thread, &result);
  return destroyed && result == PTHREAD_CANCELED && pthread_mutex_lock(&mutex) == 0;
}

// True if a lock times out in a forked child.
bool WorksInForkedChild() {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  const pid_t child = fork();
  if (child == 0) {
    const timespec soon = In(2'000'000);
    _exit(pthread_mutex_timedlock(&mutex, &soon) == ETIMEDOUT ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

std::string LibraryOf(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0) return "";
  const std::string path(info.dli_fname);
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

extern "C" {

// Returns {total, longest} of the waits, as the threads have measured them.
JNIEXPORT jlongArray JNICALL Java_NativeLocks_contend(JNIEnv* jni, jclass, jstring kind,
                                                      jint rounds, jlong hold) {
  const char* const wanted = jni->GetStringUTFChars(kind, nullptr);
  Measured measured;
  const void* lock = nullptr;
  for (const auto& row : kKinds) {
    if (strcmp(row.kind, wanted) != 0) continue;
    row.run(rounds, hold, measured);
    lock = row.lock;
  }
  jni->ReleaseStringUTFChars(kind, wanted);
  const jlong values[] = {measured.total, measured.longest, reinterpret_cast<jlong>(lock)};
  const jlongArray array = jni->NewLongArray(3);
  jni->SetLongArrayRegion(array, 0, 3, values);
  return array;
}

JNIEXPORT jstring JNICALL Java_NativeLocks_results(JNIEnv* jni, jclass) {
  return jni->NewStringUTF(ResultsOfCalls().c_str());
}

JNIEXPORT jboolean JNICALL Java_NativeLocks_cancelsCleanly(JNIEnv*, jclass) {
  return CancelsCleanly() ? JNI_TRUE : JNI_FALSE;
}

JNIEXPORT jboolean JNICALL Java_NativeLocks_worksInForkedChild(JNIEnv*, jclass) {
  return WorksInForkedChild() ? JNI_TRUE : JNI_FALSE;
}

// Returns the libraries that contain the functions which this library's import slots call.
JNIEXPORT jstring JNICALL Java_NativeLocks_calledLibraries(JNIEnv* jni, jclass) {
  const std::string text = LibraryOf(reinterpret_cast<const void*>(&pthread_mutex_lock)) + " " +
                           LibraryOf(reinterpret_cast<const void*>(&pthread_cond_timedwait));
  return jni->NewStringUTF(text.c_str());
}

JNIEXPORT void JNICALL Java_NativeLocks_takeFree(JNIEnv*, jclass, jint times) {
  for (jint i = 0; i < times; ++i) {
    pthread_mutex_lock(&g_mutex);
    pthread_mutex_unlock(&g_mutex);
  }
}

JNIEXPORT void JNICALL Java_NativeLocks_hold(JNIEnv*, jclass) { pthread_mutex_lock(&g_mutex); }
JNIEXPORT void JNICALL Java_NativeLocks_release(JNIEnv*, jclass) { pthread_mutex_unlock(&g_mutex); }

// True if a thread waits for the mutex of hold(), according to glibc's state of the mutex.
JNIEXPORT jboolean JNICALL Java_NativeLocks_hasWaiter(JNIEnv*, jclass) {
  return __atomic_load_n(&g_mutex.__data.__lock, __ATOMIC_RELAXED) == 2 ? JNI_TRUE : JNI_FALSE;
}

JNIEXPORT jlong JNICALL Java_NativeLocks_time(JNIEnv*, jclass) { return Now(); }

}  // extern "C"
