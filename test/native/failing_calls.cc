// A preloaded library that fails one call of libprofiler.so to JVMTI, JNI or libc on a chosen
// thread, a different call each time. Native half of test/java/workloads/FailingStarts.java.
//
// A call is identified by its function, by the address in libprofiler.so from which it is made, and
// by how many calls have been made from there since arm(). Each call fails only once. When an armed
// start makes no new call, all calls have been tried.
#include <dlfcn.h>
#include <fcntl.h>
#include <jni.h>
#include <jvmti.h>
#include <link.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

uintptr_t g_agent_begin = 0;
uintptr_t g_agent_end = 0;

// No lock is needed: only the armed thread uses these variables.
std::atomic<pid_t> g_armed{0};  // relaxed: a thread compares it only with its own id
int g_repetitions = 1;          // calls from one address that fail one after the other
bool g_fails_all = false;       // if false, only the functions in kNeeded fail
std::string g_failed;           // call that has failed since arm()
std::map<std::pair<const char*, uintptr_t>, int> g_made;  // number of calls since arm()
std::set<std::pair<std::pair<const char*, uintptr_t>, int>> g_tried;

// The functions without which no recording starts.
constexpr const char* kNeeded[] = {"CallLongMethodV",
                                   "CallStaticObjectMethodV",
                                   "CallStaticVoidMethodV",
                                   "DefineClass",
                                   "FindClass",
                                   "GetCurrentThread",
                                   "GetFieldID",
                                   "GetMethodID",
                                   "GetStaticMethodID",
                                   "NewGlobalRef",
                                   "NewObjectV",
                                   "NewStringUTF",
                                   "RegisterNatives"};

bool IsNeeded(const char* function) {
  return std::any_of(std::begin(kNeeded), std::end(kNeeded),
                     [function](const char* name) { return strcmp(name, function) == 0; });
}

int FindAgent(dl_phdr_info* info, size_t, void*) {
  if (info->dlpi_name == nullptr || strstr(info->dlpi_name, "libprofiler.so") == nullptr) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    g_agent_begin = info->dlpi_addr + header.p_vaddr;
    g_agent_end = g_agent_begin + header.p_memsz;
  }
  return 1;
}

bool Fails(const char* function, const void* caller) {
  const pid_t armed = g_armed.load(std::memory_order_relaxed);
  if (armed == 0 || armed != gettid()) return false;
  const auto address = reinterpret_cast<uintptr_t>(caller);
  if (address < g_agent_begin || address >= g_agent_end) return false;
  if (!g_fails_all && !IsNeeded(function)) return false;
  const std::pair<const char*, uintptr_t> place(function, address - g_agent_begin);
  const int made = ++g_made[place];
  if (!g_failed.empty() || made > g_repetitions || !g_tried.emplace(place, made).second) {
    return false;
  }
  char text[128];
  std::snprintf(text, sizeof text, "%s.%d at %#lx", function, made,
                static_cast<unsigned long>(place.second));
  g_failed = text;
  return true;
}

// ---- libc

template <typename Function>
Function Next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// ---- JVMTI and JNI

JavaVM* g_vm = nullptr;
jthrowable g_no_memory = nullptr;         // global reference
jvmtiEnv* g_own = nullptr;                // environment of this library
jvmtiInterface_1_ g_jvmti;                // the JVM's original table
JNINativeInterface_ g_jni;                // the JVM's original table
std::atomic<jvmtiEnv*> g_agent{nullptr};  // relaxed: set once, by the profiler's first call
std::atomic<uint64_t> g_events{0};  // bits of the events that the profiler has enabled; relaxed

template <auto kFunction, const char* kName>
struct Jvmti;

template <typename... Arguments,
          jvmtiError (JNICALL* jvmtiInterface_1_::*kFunction)(jvmtiEnv*, Arguments...),
          const char* kName>
struct Jvmti<kFunction, kName> {
  static jvmtiError JNICALL Call(jvmtiEnv* env, Arguments... arguments) {
    if (Fails(kName, __builtin_return_address(0))) return JVMTI_ERROR_OUT_OF_MEMORY;
    return (g_jvmti.*kFunction)(env, arguments...);
  }
};

template <auto kFunction, const char* kName>
struct Jni;

template <typename Answer, typename... Arguments,
          Answer (JNICALL* JNINativeInterface_::*kFunction)(JNIEnv*, Arguments...),
          const char* kName>
struct Jni<kFunction, kName> {
  static Answer JNICALL Call(JNIEnv* jni, Arguments... arguments) {
    if (!Fails(kName, __builtin_return_address(0))) return (g_jni.*kFunction)(jni, arguments...);
    const bool is_silent =
        strstr(kName, "LocalRef") != nullptr || strstr(kName, "GlobalRef") != nullptr;
    if (!is_silent) g_jni.Throw(jni, g_no_memory);
    if constexpr (std::is_same_v<Answer, jint>) {
      return JNI_ERR;
    } else {
      return Answer();
    }
  }
};

// Written out because the function is variadic in jvmti.h, which the template Jvmti does not
// support.
jvmtiError JNICALL SetEventNotificationMode(jvmtiEnv* env, jvmtiEventMode mode, jvmtiEvent event,
                                            jthread thread, ...) {
  const auto caller = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  if (mode == JVMTI_ENABLE && Fails("SetEventNotificationMode", __builtin_return_address(0))) {
    return JVMTI_ERROR_OUT_OF_MEMORY;
  }
  if (caller >= g_agent_begin && caller < g_agent_end) {
    const uint64_t bit = uint64_t{1} << (event % 64);
    g_agent.store(env, std::memory_order_relaxed);
    if (mode == JVMTI_ENABLE) {
      g_events.fetch_or(bit, std::memory_order_relaxed);
    } else {
      g_events.fetch_and(~bit, std::memory_order_relaxed);
    }
  }
  return g_jvmti.SetEventNotificationMode(env, mode, event, thread);
}

#define JPROF_JVMTI(name)                       \
  static constexpr char kJvmti##name[] = #name; \
  table.name = Jvmti<&jvmtiInterface_1_::name, kJvmti##name>::Call;
#define JPROF_JNI(name)                       \
  static constexpr char kJni##name[] = #name; \
  table.name = Jni<&JNINativeInterface_::name, kJni##name>::Call;

// Replaces functions in HotSpot's table for JVMTI. All environments share this table.
void ReplaceJvmti(jvmtiEnv* env) {
  auto& table = *const_cast<jvmtiInterface_1_*>(env->functions);
  g_jvmti = table;
  table.SetEventNotificationMode = SetEventNotificationMode;
  JPROF_JVMTI(AddCapabilities)
  JPROF_JVMTI(Allocate)
  JPROF_JVMTI(GenerateEvents)
  JPROF_JVMTI(GetAllThreads)
  JPROF_JVMTI(GetCapabilities)
  JPROF_JVMTI(GetClassLoader)
  JPROF_JVMTI(GetClassMethods)
  JPROF_JVMTI(GetClassModifiers)
  JPROF_JVMTI(GetClassSignature)
  JPROF_JVMTI(GetClassStatus)
  JPROF_JVMTI(GetCurrentThread)
  JPROF_JVMTI(GetExtensionEvents)
  JPROF_JVMTI(GetLoadedClasses)
  JPROF_JVMTI(GetMethodDeclaringClass)
  JPROF_JVMTI(GetMethodModifiers)
  JPROF_JVMTI(GetMethodName)
  JPROF_JVMTI(GetObjectHashCode)
  JPROF_JVMTI(GetPotentialCapabilities)
  JPROF_JVMTI(GetStackTrace)
  JPROF_JVMTI(GetSystemProperties)
  JPROF_JVMTI(GetSystemProperty)
  JPROF_JVMTI(GetThreadGroupInfo)
  JPROF_JVMTI(GetThreadInfo)
  JPROF_JVMTI(GetThreadState)
  JPROF_JVMTI(IsModifiableClass)
  JPROF_JVMTI(RetransformClasses)
  JPROF_JVMTI(SetEnvironmentLocalStorage)
  JPROF_JVMTI(SetEventCallbacks)
  JPROF_JVMTI(SetExtensionEventCallback)
  JPROF_JVMTI(SetHeapSamplingInterval)
}

void ReplaceJni(jvmtiEnv* env) {
  JNINativeInterface_* copy = nullptr;
  env->GetJNIFunctionTable(&copy);
  g_jni = *copy;
  JNINativeInterface_& table = *copy;
  JPROF_JNI(CallLongMethodV)
  JPROF_JNI(CallStaticBooleanMethodV)
  JPROF_JNI(CallStaticLongMethodV)
  JPROF_JNI(CallStaticObjectMethodV)
  JPROF_JNI(CallStaticVoidMethodV)
  JPROF_JNI(DefineClass)
  JPROF_JNI(FindClass)
  JPROF_JNI(GetFieldID)
  JPROF_JNI(GetMethodID)
  JPROF_JNI(GetStaticMethodID)
  JPROF_JNI(GetStringUTFChars)
  JPROF_JNI(NewByteArray)
  JPROF_JNI(NewDirectByteBuffer)
  JPROF_JNI(NewGlobalRef)
  JPROF_JNI(NewLocalRef)
  JPROF_JNI(NewObjectV)
  JPROF_JNI(NewStringUTF)
  JPROF_JNI(NewWeakGlobalRef)
  JPROF_JNI(PushLocalFrame)
  JPROF_JNI(RegisterNatives)
  env->SetJNIFunctionTable(copy);
  env->Deallocate(reinterpret_cast<unsigned char*>(copy));
}

// ---- what remains after a failed start

std::string Timers() {
  std::ifstream timers("/proc/self/timers");
  std::string text;
  for (std::string line; std::getline(timers, line);) text += line + '\n';
  return text;
}

std::string SignalActions() {
  std::string text;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0) continue;
    char line[64];
    std::snprintf(line, sizeof line, "%d %p\n", signal,
                  reinterpret_cast<void*>(action.sa_sigaction));
    text += line;
  }
  return text;
}

std::string EventsAndCapabilities() {
  std::string text = std::to_string(g_events.load(std::memory_order_relaxed)) + '\n';
  jvmtiEnv* const agent = g_agent.load(std::memory_order_relaxed);
  jvmtiCapabilities has{};
  if (agent != nullptr) g_jvmti.GetCapabilities(agent, &has);
  // The profiler keeps the capabilities for lines and files of methods, and for retransformation.
  has.can_get_line_numbers = has.can_get_source_file_name = has.can_retransform_classes = 0;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&has);
  for (size_t i = 0; i < sizeof has; ++i) text += std::to_string(bytes[i]) + ' ';
  return text;
}

// Returns the name of a class and the total size of the bytecodes of its methods, which probes
// increase.
std::string CodeSizes(JNIEnv* jni, const char* name) {
  const jclass found = jni->FindClass(name);
  if (found == nullptr) {
    jni->ExceptionClear();
    return "";
  }
  jint count = 0;
  jmethodID* methods = nullptr;
  g_jvmti.GetClassMethods(g_own, found, &count, &methods);
  jint sum = 0;
  for (jint i = 0; i < count; ++i) {
    jint size = 0;
    unsigned char* code = nullptr;
    if (g_jvmti.GetBytecodes(g_own, methods[i], &size, &code) == JVMTI_ERROR_NONE) {
      g_jvmti.Deallocate(g_own, code);
    }
    sum += size;
  }
  g_jvmti.Deallocate(g_own, reinterpret_cast<unsigned char*>(methods));
  jni->DeleteLocalRef(found);
  return std::string(name) + ' ' + std::to_string(sum) + '\n';
}

}  // namespace

extern "C" {

#define JPROF_EXPORT __attribute__((visibility("default")))

JPROF_EXPORT void* mmap(void* address, size_t bytes, int protection, int flags, int file,
                        off_t offset) {
  static const auto next = Next<decltype(&mmap)>("mmap");
  if (!Fails("mmap", __builtin_return_address(0))) {
    return next(address, bytes, protection, flags, file, offset);
  }
  errno = ENOMEM;
  return MAP_FAILED;
}

JPROF_EXPORT int mprotect(void* address, size_t bytes, int protection) {
  static const auto next = Next<decltype(&mprotect)>("mprotect");
  if (!Fails("mprotect", __builtin_return_address(0))) return next(address, bytes, protection);
  errno = ENOMEM;
  return -1;
}

JPROF_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                void* (*routine)(void*), void* argument) {
  static const auto next = Next<decltype(&pthread_create)>("pthread_create");
  if (Fails("pthread_create", __builtin_return_address(0))) return EAGAIN;
  return next(thread, attributes, routine, argument);
}

JPROF_EXPORT int eventfd(unsigned count, int flags) {
  static const auto next = Next<decltype(&eventfd)>("eventfd");
  if (!Fails("eventfd", __builtin_return_address(0))) return next(count, flags);
  errno = EMFILE;
  return -1;
}

JPROF_EXPORT int inotify_init1(int flags) noexcept {
  static const auto next = Next<decltype(&inotify_init1)>("inotify_init1");
  if (!Fails("inotify_init1", __builtin_return_address(0))) return next(flags);
  errno = EMFILE;
  return -1;
}

JPROF_EXPORT int setitimer(__itimer_which_t which, const struct itimerval* value,
                           struct itimerval* old) noexcept {
  static const auto next = Next<decltype(&setitimer)>("setitimer");
  const bool is_set = value != nullptr && value->it_interval.tv_usec != 0;
  if (!is_set || !Fails("setitimer", __builtin_return_address(0))) return next(which, value, old);
  errno = EINVAL;
  return -1;
}

JPROF_EXPORT int sigaction(int signal, const struct sigaction* action,
                           struct sigaction* old) noexcept {
  static const auto next = Next<decltype(&sigaction)>("sigaction");
  if (!Fails("sigaction", __builtin_return_address(0))) return next(signal, action, old);
  errno = EINVAL;
  return -1;
}

JPROF_EXPORT int open(const char* path, int flags, ...) {
  static const auto next = Next<int (*)(const char*, int, ...)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const int mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, int) : 0;
  va_end(arguments);
  if (!Fails("open", __builtin_return_address(0))) return next(path, flags, mode);
  errno = EMFILE;
  return -1;
}

JPROF_EXPORT int openat(int folder, const char* path, int flags, ...) {
  static const auto next = Next<int (*)(int, const char*, int, ...)>("openat");
  va_list arguments;
  va_start(arguments, flags);
  const int mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, int) : 0;
  va_end(arguments);
  if (!Fails("openat", __builtin_return_address(0))) return next(folder, path, flags, mode);
  errno = EMFILE;
  return -1;
}

// Fails system calls that the profiler makes by syscall(), such as timer_create and
// perf_event_open.
JPROF_EXPORT long syscall(long number, ...) noexcept {
  static const auto next = Next<long (*)(long, ...)>("syscall");
  va_list arguments;
  va_start(arguments, number);
  long values[6];
  for (long& value : values) value = va_arg(arguments, long);
  va_end(arguments);
  const bool may_fail = number == SYS_timer_create || number == SYS_timer_settime ||
                        number == SYS_perf_event_open || number == SYS_rt_sigaction;
  if (!may_fail || !Fails("syscall", __builtin_return_address(0))) {
    return next(number, values[0], values[1], values[2], values[3], values[4], values[5]);
  }
  errno = EAGAIN;
  return -1;
}

JNIEXPORT void JNICALL Java_FailingStarts_prepare(JNIEnv* jni, jclass, jthrowable no_memory) {
  dl_iterate_phdr(FindAgent, nullptr);
  jni->GetJavaVM(&g_vm);
  g_no_memory = static_cast<jthrowable>(jni->NewGlobalRef(no_memory));
  g_vm->GetEnv(reinterpret_cast<void**>(&g_own), JVMTI_VERSION_1_2);
  jvmtiCapabilities wanted{};
  wanted.can_get_bytecodes = 1;
  g_own->AddCapabilities(&wanted);
  ReplaceJvmti(g_own);
  ReplaceJni(g_own);
}

JNIEXPORT void JNICALL Java_FailingStarts_arm(JNIEnv*, jclass, jint repetitions, jint pass) {
  g_repetitions = repetitions;
  g_fails_all = pass != 0;
  g_failed.clear();
  g_made.clear();
  g_armed.store(gettid(), std::memory_order_relaxed);
}

// Returns the call that has failed since arm(), or an empty string.
JNIEXPORT jstring JNICALL Java_FailingStarts_disarm(JNIEnv* jni, jclass) {
  g_armed.store(0, std::memory_order_relaxed);
  return jni->NewStringUTF(g_failed.c_str());
}

JNIEXPORT jstring JNICALL Java_FailingStarts_timers(JNIEnv* jni, jclass) {
  return jni->NewStringUTF(Timers().c_str());
}

JNIEXPORT jstring JNICALL Java_FailingStarts_signalActions(JNIEnv* jni, jclass) {
  return jni->NewStringUTF(SignalActions().c_str());
}

JNIEXPORT jstring JNICALL Java_FailingStarts_events(JNIEnv* jni, jclass) {
  return jni->NewStringUTF(EventsAndCapabilities().c_str());
}

JNIEXPORT jstring JNICALL Java_FailingStarts_code(JNIEnv* jni, jclass) {
  const std::string sizes = CodeSizes(jni, "java/util/concurrent/locks/LockSupport") +
                            CodeSizes(jni, "java/lang/VirtualThread") +
                            CodeSizes(jni, "FailingStarts");
  return jni->NewStringUTF(sizes.c_str());
}

}  // extern "C"
