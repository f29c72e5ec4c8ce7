// asgst_probe: a test agent that uses the stack walking API of libprofiler.so, which it opens by
// dlopen, in a JVM without a recording.
//
//   library=<path>   the library; comes first
//   agree=<stacks>   compares iterators with JVMTI
//   traces=<stacks>  compares AsyncGetStackTrace with JVMTI
//   ids=0            does not ask for jmethodIDs
//   storm=<walks>    walks interrupted threads
//   queue=<signals>  enqueues the stacks of interrupted threads
//   approximate=<signals>  the same, in queues with approximate stacks
//   others=<walks>   walks other threads
//   waiting=<walks>  walks threads that wait in their handlers
//   unloads=<walks>  walks threads while their classes are unloaded
//   [seed=<n>,]fuzz=<calls>  calls functions with wrong arguments
//   mixed=<seconds>  walks and enqueues at once, while queues are removed and threads end
//   cycles=<walks>   as storm, while the use of the API ends and begins
//   contexts=1       calls each function in each context
//
// now=1 starts the task when the JVM is initialised, else it starts when the program calls
// WalkProbe.begin. The agent prints the result at the end of the
// JVM; WalkProbe.isDone tells when it is done.
#include <jvmti.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>

#include "native/asgst_probe/agreement_task.h"
#include "native/asgst_probe/contexts_task.h"
#include "native/asgst_probe/cycles_task.h"
#include "native/asgst_probe/fuzz_task.h"
#include "native/asgst_probe/mixed_task.h"
#include "native/asgst_probe/others_task.h"
#include "native/asgst_probe/queue_task.h"
#include "native/asgst_probe/storm_task.h"
#include "native/asgst_probe/traces_task.h"
#include "native/asgst_probe/unloads_task.h"
#include "native/asgst_probe/waiting_task.h"

namespace jprof::test {
namespace {

constexpr size_t kMaxThreads = 256;

struct Probe {
  JavaVM* vm = nullptr;
  jvmtiEnv* jvmti = nullptr;
  Api api;
  std::unique_ptr<ProbeTask> task;
  ContextsTask* contexts = nullptr;
  int options = 0;  // of profiler_asgst_init
  bool starts_now = false;
  bool drives = false;
  std::thread driver;
  std::array<std::atomic<pid_t>, kMaxThreads> threads{};  // relaxed: hints
  std::atomic<bool> running{false};
};

Probe* g_probe = nullptr;

void OnSignal(int, siginfo_t*, void* ucontext) {
  if (g_probe->running.load(std::memory_order_acquire)) {
    g_probe->task->OnSignal(static_cast<ucontext_t*>(ucontext));
  }
}

// Interrupts all threads again and again.
void Drive(Probe& probe) {
  while (probe.running.load(std::memory_order_acquire) && !probe.task->IsDone()) {
    for (const auto& thread : probe.threads) {
      const pid_t tid = thread.load(std::memory_order_relaxed);
      if (tid != 0) probe.task->WalkThread(tid);
    }
    constexpr timespec kPause{0, 500'000};
    nanosleep(&kPause, nullptr);
  }
}

void JNICALL OnThreadStart(jvmtiEnv*, JNIEnv* jni, jthread) {
  g_probe->task->OnThreadStart(jni);
  for (auto& thread : g_probe->threads) {
    pid_t free = 0;
    if (thread.compare_exchange_strong(free, gettid(), std::memory_order_relaxed)) return;
  }
}

void JNICALL OnThreadEnd(jvmtiEnv*, JNIEnv* jni, jthread) {
  g_probe->task->OnThreadEnd(jni);
  for (auto& thread : g_probe->threads) {
    pid_t own = gettid();
    if (thread.compare_exchange_strong(own, 0, std::memory_order_relaxed)) return;
  }
}

void Start(JNIEnv* jni) {
  Probe& probe = *g_probe;
  probe.running.store(true, std::memory_order_release);
  probe.task->Begin(probe.jvmti, jni);
  if (probe.drives) probe.driver = std::thread([&probe] { Drive(probe); });
}

void JNICALL OnVmInit(jvmtiEnv*, JNIEnv* jni, jthread) {
  const int begun =
      g_probe->api.profiler_asgst_init(g_probe->vm, PROFILER_ASGST_VERSION, g_probe->options);
  if (begun != PROFILER_ASGST_OK) {
    fprintf(stderr, "asgst_probe: profiler_asgst_init is %d\n", begun);
    exit(3);
  }
  struct sigaction action {};
  action.sa_sigaction = OnSignal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);  // also blocks SIGSEGV, which the library has to unblock
  sigaction(SIGPROF, &action, nullptr);
  if (g_probe->starts_now) Start(jni);
}

void JNICALL OnAllocation(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jobject, jclass, jlong) {
  if (g_probe->running.load(std::memory_order_acquire)) g_probe->task->OnAllocation(jvmti, jni);
}

void JNICALL OnVmDeath(jvmtiEnv*, JNIEnv*) {
  Probe& probe = *g_probe;
  probe.running.store(false, std::memory_order_release);
  if (probe.driver.joinable()) probe.driver.join();
  printf("%s", probe.task->Text().c_str());
  fflush(stdout);
}

bool Parse(char* options, Probe* probe) {
  std::string library;
  uint64_t seed = std::random_device{}();
  for (char* rest = options; char* word = strsep(&rest, ",");) {
    char* const value = strchr(word, '=');
    if (value == nullptr) return false;
    const std::string name(word, value);
    const uint64_t number = strtoull(value + 1, nullptr, 0);
    if (name == "library") {
      probe->api = Api::Open(value + 1);
      library = value + 1;
    } else if (name == "ids") {
      probe->options = number == 0 ? 0 : PROFILER_ASGST_JMETHODIDS;
    } else if (name == "traces") {
      probe->task = std::make_unique<TracesTask>(library.c_str(), number);
    } else if (name == "agree") {
      probe->task = std::make_unique<AgreementTask>(probe->api, number);
    } else if (name == "storm") {
      probe->task = std::make_unique<StormTask>(probe->api, number);
      probe->drives = true;
    } else if (name == "queue" || name == "approximate") {
      probe->task = std::make_unique<QueueTask>(probe->api, number, name == "approximate");
      probe->drives = true;
    } else if (name == "others") {
      probe->task = std::make_unique<OthersTask>(probe->api, number);
      probe->drives = true;
    } else if (name == "waiting") {
      probe->task = std::make_unique<WaitingTask>(probe->api, probe->vm, number);
      probe->drives = true;
    } else if (name == "unloads") {
      probe->task = std::make_unique<UnloadsTask>(probe->api, probe->vm, number);
      probe->drives = true;
    } else if (name == "mixed") {
      probe->task = std::make_unique<MixedTask>(probe->api, number);
      probe->drives = true;
    } else if (name == "cycles") {
      probe->task = std::make_unique<CyclesTask>(probe->api, probe->vm, number);
      probe->drives = true;
    } else if (name == "now") {
      probe->starts_now = number != 0;
    } else if (name == "seed") {
      seed = number;
    } else if (name == "fuzz") {
      probe->task = std::make_unique<FuzzTask>(probe->api, number, seed);
      probe->drives = true;
    } else if (name == "contexts") {
      auto task = std::make_unique<ContextsTask>(probe->api, probe->vm);
      probe->contexts = task.get();
      probe->task = std::move(task);
    } else {
      return false;
    }
  }
  return probe->task != nullptr;
}

void AskForAllocations(jvmtiEnv* jvmti) {
  jvmtiCapabilities capabilities{};
  capabilities.can_generate_sampled_object_alloc_events = 1;
  capabilities.can_get_line_numbers = 1;
  constexpr jint kInterval = 16 * 1024;
  if (jvmti->AddCapabilities(&capabilities) != JVMTI_ERROR_NONE) return;
  jvmti->SetHeapSamplingInterval(kInterval);
  jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, nullptr);
}

}  // namespace
}  // namespace jprof::test

extern "C" JNIEXPORT void JNICALL Java_WalkProbe_begin(JNIEnv* jni, jclass) {
  if (!jprof::test::g_probe->starts_now) jprof::test::Start(jni);
}

extern "C" JNIEXPORT jboolean JNICALL Java_WalkProbe_isDone(JNIEnv*, jclass) {
  return jprof::test::g_probe->task->IsDone() ? JNI_TRUE : JNI_FALSE;
}

extern "C" JNIEXPORT jlong JNICALL Java_WalkProbe_callBack(JNIEnv* jni, jclass, jobject supplier) {
  jclass type = jni->FindClass("java/util/function/LongSupplier");
  jmethodID get = jni->GetMethodID(type, "getAsLong", "()J");
  return jni->CallLongMethod(supplier, get);
}

extern "C" JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void*) {
  using namespace jprof::test;  // NOLINT(google-build-using-namespace): an entry of the JVM
  g_probe = new Probe;
  g_probe->vm = vm;
  if (options == nullptr || !Parse(options, g_probe)) return JNI_ERR;
  jvmtiEnv* jvmti = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_1_2) != JNI_OK) return JNI_ERR;
  g_probe->jvmti = jvmti;
  if (g_probe->contexts != nullptr) g_probe->contexts->BeforeInit();
  jvmtiEventCallbacks callbacks{};
  callbacks.VMInit = OnVmInit;
  callbacks.VMDeath = OnVmDeath;
  callbacks.ThreadStart = OnThreadStart;
  callbacks.ThreadEnd = OnThreadEnd;
  callbacks.SampledObjectAlloc = OnAllocation;
  jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
  for (const jvmtiEvent event : {JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH,
                                 JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END}) {
    jvmti->SetEventNotificationMode(JVMTI_ENABLE, event, nullptr);
  }
  AskForAllocations(jvmti);
  return JNI_OK;
}
