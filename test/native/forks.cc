// Native half of test/java/workloads/Forks.java: children of fork that never call exec. Other
// threads start and end at the same time, so that locks can be held at the moment of a fork.
#include <dlfcn.h>
#include <jni.h>
#include <link.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "native/burner.h"
#include "native/profiler_control.h"

namespace {

constexpr int kPatienceSeconds = 10;
constexpr int kEnoughHung = 3;  // stops the test after so many hung children

std::atomic<bool> g_churning;
std::string g_agent;

jlong Now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return jlong{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void* Return(void* argument) { return argument; }

void* Churn(void*) {
  while (g_churning.load()) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, Return, nullptr) == 0) pthread_join(thread, nullptr);
  }
  return nullptr;
}

// Loads a library that was not loaded before, and walks through all loaded objects.
void* LoadAndAllocate(void* argument) {
  const auto block = std::make_unique<std::string>(100'000, 'x');
  dl_iterate_phdr([](dl_phdr_info*, size_t, void*) { return 0; }, nullptr);
  void* const library = dlopen("libanl.so.1", RTLD_NOW);
  if (library != nullptr) dlclose(library);
  return block->size() == 100'000 ? argument : nullptr;
}

bool ThreadsRun() {
  for (int i = 0; i < 3; ++i) {
    pthread_t thread;
    void* result = nullptr;
    if (pthread_create(&thread, nullptr, LoadAndAllocate, &thread) != 0) return false;
    if (pthread_join(thread, &result) != 0 || result != &thread) return false;
  }
  return true;
}

// Raises the profiler's signals directly, and by a timer that the child starts.
void RaiseSignals() {
  for (const int signal : {SIGPROF, SIGVTALRM}) {
    raise(signal);
    sigqueue(getpid(), signal, sigval{});
  }
  const itimerval each_millisecond{{0, 1000}, {0, 1000}};
  setitimer(ITIMER_PROF, &each_millisecond, nullptr);
  const jlong end = Now(CLOCK_PROCESS_CPUTIME_ID) + 2'000'000;
  while (Now(CLOCK_PROCESS_CPUTIME_ID) < end) {
  }
}

enum Ending : int { kUnderscoreExit, kExit, kRawExit, kAbort, kGrandchild, kEndings };

[[noreturn]] void BeChild(int ending) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  RaiseSignals();
  if (!ThreadsRun()) _exit(1);
  if (!jprof::test::Execute(g_agent, "stop").starts_with("failed: ")) _exit(4);
  if (ending == kGrandchild) {
    const pid_t grandchild = fork();
    if (grandchild == 0) _exit(ThreadsRun() ? 0 : 2);
    int status = -1;
    waitpid(grandchild, &status, 0);
    _exit(status == 0 ? 0 : 3);
  }
  if (ending == kAbort) abort();
  if (ending == kExit) exit(0);
  if (ending == kRawExit) syscall(SYS_exit_group, 0);
  _exit(0);
}

bool EndedWell(int status, int ending) {
  if (ending == kAbort) return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

extern "C" {

// Forks one child after another. Returns {number of children that hung, number that ended wrongly}.
JNIEXPORT jintArray JNICALL Java_Forks_fork(JNIEnv* jni, jclass, jint children, jstring agent) {
  g_agent = jprof::test::TextOf(jni, agent);
  g_churning.store(true);
  std::vector<pthread_t> churners(3);
  for (pthread_t& churner : churners) pthread_create(&churner, nullptr, Churn, nullptr);
  jint counts[2] = {};
  for (int i = 0; i < children && counts[0] < kEnoughHung; ++i) {
    const int ending = i % kEndings;
    const pid_t child = fork();
    if (child == 0) BeChild(ending);
    int status = 0;
    const jlong deadline = Now(CLOCK_MONOTONIC) + jlong{kPatienceSeconds} * 1'000'000'000;
    while (waitpid(child, &status, WNOHANG) == 0) {
      if (Now(CLOCK_MONOTONIC) > deadline) {
        ++counts[0];
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        break;
      }
      usleep(500);
    }
    if (!EndedWell(status, ending)) ++counts[1];
  }
  g_churning.store(false);
  for (const pthread_t churner : churners) pthread_join(churner, nullptr);
  jintArray result = jni->NewIntArray(2);
  jni->SetIntArrayRegion(result, 0, 2, counts);
  return result;
}

}  // extern "C"
