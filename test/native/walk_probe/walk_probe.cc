// walk_probe: a test agent that interrupts the Java threads of a JVM and lets our walkers walk
// them.
//
//   fuzz=<walks>[,seed=<n>]   walks altered threads
//   time=<walks>[,depth=<n>]  measures walks of the thread that calls WalkProbe.begin
//   anchor=<walks>            walks in callbacks; interrupts nothing
//   step=1, step=2            walks at each instruction between WalkProbe.step and
//                             WalkProbe.stop; 2: also in native code
//
// fuzz and time start when the program calls WalkProbe.begin. The agent prints the result at the
// end of the JVM; WalkProbe.isDone tells when all walks are done.
#include <jvmti.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "jvm/hotspot_layout_reader.h"
#include "jvm/libjvm.h"
#include "jvm/object_fields.h"
#include "native/walk_probe/anchor_task.h"
#include "native/walk_probe/fuzz_task.h"
#include "native/walk_probe/step_task.h"
#include "native/walk_probe/timing_task.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/os/clock.h"
#include "walking/walking.h"

namespace jprof::test {
namespace {

constexpr int kSignal = SIGPROF;
constexpr size_t kMaxThreads = 256;
// How long a round waits for its threads, and how long it then leaves them undisturbed at least.
constexpr Nanos kPatience = 20'000'000;
constexpr Nanos kPeace = 500'000;

struct Probe {
  uint64_t fuzz = 0;
  uint64_t time = 0;
  uint64_t anchor = 0;
  uint64_t step = 0;
  uint64_t seed = 0;
  uint32_t depth = 2048;
  HotspotLayout layout{};
  WalkBuffers* buffers = nullptr;
  std::optional<Walking::Use> walking;
  std::unique_ptr<WalkTask> task;
  AnchorTask* anchor_task = nullptr;  // the task if it is an AnchorTask
  StepTask* step_task = nullptr;
  std::thread driver;
  // All are relaxed: hints, and counts that are only compared with earlier ones.
  std::array<std::atomic<pid_t>, kMaxThreads> threads{};
  std::atomic<uint64_t> handled{0};
  // release by the thread that starts or ends it; acquire in the driver and the handlers.
  std::atomic<bool> running{false};
};

Probe* g_probe = nullptr;

// Set while the thread is attached and can be walked. Read by the handler on the same thread.
thread_local const void* volatile t_env = nullptr;

void OnSignal(int, siginfo_t*, void* ucontext) {
  const ErrnoSaver errno_saver;
  Probe& probe = *g_probe;
  const void* const env = t_env;
  WalkBuffers* const buffers = probe.buffers;
  WalkBuffer buffer;
  if (env != nullptr && probe.running.load(std::memory_order_acquire) && buffers->Claim(&buffer)) {
    probe.task->Run(env, static_cast<const ucontext_t*>(ucontext), buffer);
    buffers->Release(buffer);
  }
  probe.handled.fetch_add(1, std::memory_order_relaxed);
}

// The kernel clears the flag for single steps for the handler; the return from the handler restores
// the flags of the context.
void OnStep(int, siginfo_t*, void* ucontext) {
  const ErrnoSaver errno_saver;
  constexpr greg_t kTrapFlag = 0x100;
  Probe& probe = *g_probe;
  auto* const context = static_cast<ucontext_t*>(ucontext);
  greg_t& flags = context->uc_mcontext.gregs[REG_EFL];
  if (!probe.step_task->is_stepping()) {
    flags &= ~kTrapFlag;
    return;
  }
  flags |= kTrapFlag;
  WalkBuffer buffer;
  if (t_env == nullptr || !probe.buffers->Claim(&buffer)) return;
  probe.task->Run(t_env, context, buffer);
  probe.buffers->Release(buffer);
}

// Prints the walk, which the JVM's report, already written, does not contain.
void OnAbort(int) {
  char line[100];
  const int length = snprintf(line, sizeof line, "walk_probe: seed=%llu walk=%llu\n",
                              static_cast<unsigned long long>(g_probe->seed),
                              static_cast<unsigned long long>(WalkUnderWay()));
  if (write(STDERR_FILENO, line, static_cast<size_t>(length)) < 0) _exit(1);
}

void Sleep(Nanos nanos) {
  const timespec time = {nanos / kNanosPerSecond, nanos % kNanosPerSecond};
  nanosleep(&time, nullptr);
}

// Interrupts every thread, waits until they have walked, and leaves them undisturbed for as long.
void Drive(Probe& probe) {
  while (probe.running.load(std::memory_order_acquire) && !probe.task->IsDone()) {
    const Nanos start_ns = MonotonicNanos();
    const uint64_t before = probe.handled.load(std::memory_order_relaxed);
    uint64_t sent = 0;
    for (const auto& thread : probe.threads) {
      const pid_t tid = thread.load(std::memory_order_relaxed);
      if (tid != 0 && syscall(SYS_tgkill, getpid(), tid, kSignal) == 0) ++sent;
    }
    while (probe.handled.load(std::memory_order_relaxed) < before + sent &&
           MonotonicNanos() < start_ns + kPatience) {
      Sleep(50'000);
    }
    Sleep(std::max(kPeace, MonotonicNanos() - start_ns));
  }
}

void Fail(const std::string& sentence) {
  fprintf(stderr, "walk_probe: %s\n", sentence.c_str());
  exit(3);
}

int64_t EnvOffset(JNIEnv* jni) {
  jclass type = jni->FindClass("java/lang/Thread");
  jmethodID current = jni->GetStaticMethodID(type, "currentThread", "()Ljava/lang/Thread;");
  jobject thread = jni->CallStaticObjectMethod(type, current);
  return reinterpret_cast<int64_t>(jni) -
         jni->GetLongField(thread, jni->GetFieldID(type, "eetop", "J"));
}

int Release(jvmtiEnv* jvmti) {
  char* text = nullptr;
  jvmti->GetSystemProperty("java.vm.specification.version", &text);
  const int release = atoi(strncmp(text, "1.", 2) == 0 ? text + 2 : text);
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(text));
  return release;
}

void MakeMethodIds(jvmtiEnv* jvmti, jclass type) {
  jint count = 0;
  jmethodID* methods = nullptr;
  if (jvmti->GetClassMethods(type, &count, &methods) == JVMTI_ERROR_NONE) {
    jvmti->Deallocate(reinterpret_cast<unsigned char*>(methods));
  }
}

void MakeAllMethodIds(jvmtiEnv* jvmti, JNIEnv* jni) {
  jint count = 0;
  jclass* classes = nullptr;
  jvmti->GetLoadedClasses(&count, &classes);
  for (jint i = 0; i < count; ++i) {
    MakeMethodIds(jvmti, classes[i]);
    jni->DeleteLocalRef(classes[i]);
  }
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(classes));
}

void InstallWalkers(Probe& probe, jvmtiEnv* jvmti, JNIEnv* jni) {
  static const Result<VmStructs> structs = LoadVmStructs();
  if (!structs) Fail(structs.error().message());
  static const HotspotReading reading =
      ReadHotspot(structs.value(), EnvOffset(jni), Release(jvmti), ObjectFields(jni));
  probe.layout = reading.layout;
  const Result<Libjvm> libjvm = Libjvm::Find();
  if (!libjvm) Fail(libjvm.error().message());
  const auto asgct = reinterpret_cast<AsgctFunction>(libjvm.value().Symbol("AsyncGetCallTrace"));
  static Walking walking(structs.value(), reading, asgct);
  Result<Walking::Use> use = walking.Begin();
  if (!use) Fail(use.error().message());
  probe.walking = std::move(use).value();
  Result<Pages> pages = Pages::Reserve(WalkBuffers::RegionSize(probe.depth));
  if (!pages) Fail(pages.error().message());
  probe.buffers = new WalkBuffers(pages.value().Leak(), probe.depth);
  if (probe.step > 0) {
    auto task = std::make_unique<StepTask>(probe.layout, probe.step > 1);
    probe.step_task = task.get();
    probe.task = std::move(task);
    jvmti->GenerateEvents(JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
  } else if (probe.fuzz > 0) {
    probe.task = FuzzTask::Make(probe.layout, probe.seed, probe.fuzz);
  } else if (probe.anchor > 0) {
    auto task = std::make_unique<AnchorTask>(probe.layout, probe.anchor);
    probe.anchor_task = task.get();
    probe.task = std::move(task);
  } else {
    probe.task = std::make_unique<TimingTask>(probe.layout, asgct, probe.time);
  }
  if (probe.task == nullptr) Fail("no memory");
}

void JNICALL OnThreadStart(jvmtiEnv*, JNIEnv* jni, jthread) {
  t_env = jni;
  for (auto& thread : g_probe->threads) {
    pid_t free = 0;
    if (thread.compare_exchange_strong(free, gettid(), std::memory_order_relaxed)) return;
  }
}

void JNICALL OnThreadEnd(jvmtiEnv*, JNIEnv*, jthread) {
  t_env = nullptr;
  for (auto& thread : g_probe->threads) {
    pid_t own = gettid();
    if (thread.compare_exchange_strong(own, 0, std::memory_order_relaxed)) return;
  }
}

void JNICALL OnVmInit(jvmtiEnv* jvmti, JNIEnv* jni, jthread) {
  InstallWalkers(*g_probe, jvmti, jni);
  MakeAllMethodIds(jvmti, jni);
  struct sigaction action {};
  action.sa_sigaction = OnSignal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(kSignal, &action, nullptr);
  if (g_probe->step > 0) {
    // The alternate stack leaves the data of earlier calls below the stack pointer unchanged.
    action.sa_flags |= SA_ONSTACK;
    action.sa_sigaction = OnStep;
    sigaction(SIGTRAP, &action, nullptr);
  }
  struct sigaction abort {};
  abort.sa_handler = OnAbort;
  abort.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGABRT, &abort, nullptr);
}

void JNICALL OnClassPrepare(jvmtiEnv* jvmti, JNIEnv*, jthread, jclass type) {
  MakeMethodIds(jvmti, type);
}

void JNICALL OnDynamicCode(jvmtiEnv*, const char* name, const void* address, jint length) {
  if (g_probe->step_task != nullptr) g_probe->step_task->AddCode(name, address, length);
}

void JNICALL OnClassLoad(jvmtiEnv*, JNIEnv*, jthread, jclass) {}

void JNICALL OnSampledAllocation(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jobject, jclass, jlong) {
  Probe& probe = *g_probe;
  WalkBuffer buffer;
  if (!probe.running.load(std::memory_order_acquire) || !probe.buffers->Claim(&buffer)) return;
  probe.anchor_task->Compare(jvmti, jni, buffer);
  probe.buffers->Release(buffer);
}

// Enables the events. Called before the live phase.
void AskForAllocations(jvmtiEnv* jvmti) {
  jvmtiCapabilities capabilities{};
  capabilities.can_generate_sampled_object_alloc_events = 1;
  constexpr jint kInterval = 16 * 1024;
  if (jvmti->AddCapabilities(&capabilities) != JVMTI_ERROR_NONE ||
      jvmti->SetHeapSamplingInterval(kInterval) != JVMTI_ERROR_NONE ||
      jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, nullptr) !=
          JVMTI_ERROR_NONE) {
    Fail("this JVM has no events for sampled allocations");
  }
}

void JNICALL OnVmDeath(jvmtiEnv*, JNIEnv*) {
  Probe& probe = *g_probe;
  probe.running.store(false, std::memory_order_release);
  if (probe.driver.joinable()) probe.driver.join();
  while (probe.buffers->AnyTaken()) Sleep(1'000'000);
  printf("%s", probe.task->Text().c_str());
  fflush(stdout);
}

bool Parse(char* options, Probe* probe) {
  for (char* rest = options; char* word = strsep(&rest, ",");) {
    char* const value = strchr(word, '=');
    if (value == nullptr) return false;
    const uint64_t number = strtoull(value + 1, nullptr, 0);
    const std::string name(word, value);
    if (name == "fuzz") {
      probe->fuzz = number;
    } else if (name == "time") {
      probe->time = number;
    } else if (name == "anchor") {
      probe->anchor = number;
    } else if (name == "step") {
      probe->step = number;
    } else if (name == "seed") {
      probe->seed = number;
    } else if (name == "depth") {
      probe->depth = static_cast<uint32_t>(number);
    } else {
      return false;
    }
  }
  return (probe->fuzz > 0) + (probe->time > 0) + (probe->anchor > 0) + (probe->step > 0) == 1;
}

}  // namespace
}  // namespace jprof::test

constexpr size_t kStepStackBytes = 256 << 10;

extern "C" JNIEXPORT void JNICALL Java_WalkProbe_begin(JNIEnv*, jclass) {
  auto& probe = *jprof::test::g_probe;
  if (probe.time > 0) {
    for (auto& thread : probe.threads) thread.store(0, std::memory_order_relaxed);
    probe.threads[0].store(gettid(), std::memory_order_relaxed);
  }
  probe.running.store(true, std::memory_order_release);
  if (probe.anchor == 0) probe.driver = std::thread([&probe] { jprof::test::Drive(probe); });
}

extern "C" JNIEXPORT jboolean JNICALL Java_WalkProbe_isDone(JNIEnv*, jclass) {
  return jprof::test::g_probe->task->IsDone() ? JNI_TRUE : JNI_FALSE;
}

extern "C" JNIEXPORT void JNICALL Java_WalkProbe_step(JNIEnv* jni, jclass, jstring label) {
  const char* const text = jni->GetStringUTFChars(label, nullptr);
  jprof::test::g_probe->step_task->Begin(text);
  jni->ReleaseStringUTFChars(label, text);
  static char* const stack = new char[kStepStackBytes];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = kStepStackBytes;
  sigaltstack(&alternative, nullptr);
  raise(SIGTRAP);
}

extern "C" JNIEXPORT void JNICALL Java_WalkProbe_stop(JNIEnv*, jclass) {
  jprof::test::g_probe->step_task->End();
}

// Calls back, so that Java lies below native code below Java.
extern "C" JNIEXPORT jlong JNICALL Java_WalkProbe_callBack(JNIEnv* jni, jclass, jobject supplier) {
  jclass type = jni->FindClass("java/util/function/LongSupplier");
  jmethodID get = jni->GetMethodID(type, "getAsLong", "()J");
  return jni->CallLongMethod(supplier, get);
}

extern "C" JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void*) {
  using namespace jprof::test;  // NOLINT(google-build-using-namespace): an entry of the JVM
  auto* const probe = new Probe;
  probe->seed = std::random_device{}();
  if (options == nullptr || !Parse(options, probe)) return JNI_ERR;
  g_probe = probe;
  printf("fuzz.seed=%llu\n", static_cast<unsigned long long>(probe->seed));
  fflush(stdout);
  jvmtiEnv* jvmti = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&jvmti),
                 probe->anchor > 0 ? JVMTI_VERSION_11 : JVMTI_VERSION_1_2) != JNI_OK) {
    return JNI_ERR;
  }
  jvmtiEventCallbacks callbacks{};
  callbacks.VMInit = OnVmInit;
  callbacks.VMDeath = OnVmDeath;
  callbacks.ThreadStart = OnThreadStart;
  callbacks.ThreadEnd = OnThreadEnd;
  callbacks.ClassPrepare = OnClassPrepare;
  callbacks.ClassLoad = OnClassLoad;
  callbacks.SampledObjectAlloc = OnSampledAllocation;
  callbacks.DynamicCodeGenerated = OnDynamicCode;
  jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
  for (const jvmtiEvent event :
       {JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END,
        JVMTI_EVENT_CLASS_PREPARE, JVMTI_EVENT_CLASS_LOAD, JVMTI_EVENT_DYNAMIC_CODE_GENERATED}) {
    jvmti->SetEventNotificationMode(JVMTI_ENABLE, event, nullptr);
  }
  if (probe->anchor > 0) AskForAllocations(jvmti);
  return JNI_OK;
}
