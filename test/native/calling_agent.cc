// Another agent, which gives commands to the profiler from its own JVMTI callbacks. Native half of
// test/java/workloads/CallingAgent.java.
//
//   -agentpath:libcalling_agent.so=LIBRARY;PHASE;FILE
//
// LIBRARY is the profiler's library. PHASE is onload, vmstart or vminit: in this phase the agent
// starts a recording to FILE. In each of the three phases it asks for the version and prints the
// answer: "vmstart.version=0 jprof 1.2.3".
#include <dlfcn.h>
#include <jvmti.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "native/burner.h"

namespace {

using jprof::test::TextOf;

using Output = void (*)(const char* text, size_t length, void* context);
int (*g_execute)(const char* command, Output output, void* context) = nullptr;
int (*g_execute_in)(void* vm, const char* command, Output output, void* context) = nullptr;

JavaVM* g_vm = nullptr;
std::string g_phase;
std::string g_file;

enum Event : size_t { kThreadStart, kThreadEnd, kClassPrepare, kClassFileLoadHook, kEvents };
constexpr std::array<const char*, kEvents> kEventNames = {"ThreadStart", "ThreadEnd",
                                                          "ClassPrepare", "ClassFileLoadHook"};

std::atomic<bool> g_is_armed{false};
std::atomic<bool> g_exits{false};
std::atomic<long> g_commands{0};
std::atomic<long> g_answers{0};
std::array<std::atomic<long>, kEvents> g_busy{};
std::array<std::atomic<long>, kEvents> g_not_busy{};

void Assign(const char* text, size_t length, void* context) {
  static_cast<std::string*>(context)->assign(text, length);
}

std::string Execute(const std::string& command) {
  std::string answer;
  const int code = g_execute(command.c_str(), Assign, &answer);
  return std::to_string(code) + ' ' + answer;
}

std::string ExecuteIn(const std::string& command) {
  if (g_execute_in == nullptr) return "there is no such function";
  std::string answer;
  const int code = g_execute_in(g_vm, command.c_str(), Assign, &answer);
  return std::to_string(code) + ' ' + answer;
}

// If armed, gives the next of five commands in turn, and counts whether the answer is
// PROFILER_BUSY.
void CommandFrom(Event event) {
  if (!g_is_armed.load()) return;
  const std::array<std::string, 5> commands = {"stop", "status", "dump",
                                               "start,cpu=10ms,file=" + g_file, "methods"};
  const long number = g_commands.fetch_add(1);
  const std::string answer = Execute(commands[static_cast<size_t>(number) % commands.size()]);
  constexpr std::string_view kBusy = "3 ";  // PROFILER_BUSY
  const bool is_busy = answer.starts_with(kBusy);
  ++(is_busy ? g_busy : g_not_busy)[event];
  ++g_answers;
}

bool IsRecorder(jvmtiEnv* jvmti, jthread thread) {
  jvmtiThreadInfo info{};
  if (jvmti->GetThreadInfo(thread, &info) != JVMTI_ERROR_NONE) return false;
  const bool is = info.name == std::string_view("jprof recorder");
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(info.name));
  return is;
}

void Exit(JNIEnv* jni) {
  const jclass system = jni->FindClass("java/lang/System");
  const jmethodID exit = jni->GetStaticMethodID(system, "exit", "(I)V");
  jni->CallStaticVoidMethod(system, exit, 7);
}

void JNICALL OnThreadStart(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) {
  if (g_exits.load() && IsRecorder(jvmti, thread)) Exit(jni);
  CommandFrom(kThreadStart);
}

void JNICALL OnThreadEnd(jvmtiEnv*, JNIEnv*, jthread) { CommandFrom(kThreadEnd); }

void JNICALL OnClassPrepare(jvmtiEnv*, JNIEnv*, jthread, jclass) { CommandFrom(kClassPrepare); }

void JNICALL OnClassFileLoadHook(jvmtiEnv*, JNIEnv*, jclass, jobject, const char*, jobject, jint,
                                 const unsigned char*, jint*, unsigned char**) {
  CommandFrom(kClassFileLoadHook);
}

void Reach(const std::string& phase) {
  const std::string version = Execute("version");
  std::printf("%s.version=%s\n", phase.c_str(), version.c_str());
  if (phase == g_phase) {
    std::printf("%s.stop=%s\n", phase.c_str(), Execute("stop").c_str());
    const std::string start = ExecuteIn("start,cpu=5ms,file=" + g_file);
    std::printf("%s.start=%s\n", phase.c_str(), start.c_str());
  }
  std::fflush(stdout);
}

void JNICALL OnVMStart(jvmtiEnv*, JNIEnv*) { Reach("vmstart"); }

void JNICALL OnVMInit(jvmtiEnv*, JNIEnv*, jthread) { Reach("vminit"); }

bool Subscribe(jvmtiEnv* jvmti) {
  jvmtiCapabilities wanted{};
  wanted.can_retransform_classes = 1;
  if (jvmti->AddCapabilities(&wanted) != JVMTI_ERROR_NONE) return false;
  jvmtiEventCallbacks callbacks{};
  callbacks.VMStart = OnVMStart;
  callbacks.VMInit = OnVMInit;
  callbacks.ThreadStart = OnThreadStart;
  callbacks.ThreadEnd = OnThreadEnd;
  callbacks.ClassPrepare = OnClassPrepare;
  callbacks.ClassFileLoadHook = OnClassFileLoadHook;
  jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
  for (const jvmtiEvent event :
       {JVMTI_EVENT_VM_START, JVMTI_EVENT_VM_INIT, JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END,
        JVMTI_EVENT_CLASS_PREPARE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK}) {
    if (jvmti->SetEventNotificationMode(JVMTI_ENABLE, event, nullptr) != JVMTI_ERROR_NONE) {
      return false;
    }
  }
  return true;
}

}  // namespace

extern "C" {

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void*) {
  g_vm = vm;
  std::stringstream words(options);
  std::string library;
  std::getline(words, library, ';');
  std::getline(words, g_phase, ';');
  std::getline(words, g_file, ';');
  void* const profiler = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (profiler == nullptr) return JNI_ERR;
  g_execute = reinterpret_cast<decltype(g_execute)>(dlsym(profiler, "profiler_execute"));
  g_execute_in = reinterpret_cast<decltype(g_execute_in)>(dlsym(profiler, "profiler_execute_in"));
  jvmtiEnv* jvmti = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_1_2) != JNI_OK) return JNI_ERR;
  if (!Subscribe(jvmti)) return JNI_ERR;
  Reach("onload");
  return JNI_OK;
}

JNIEXPORT jstring JNICALL Java_CallingAgent_execute(JNIEnv* jni, jclass, jstring command) {
  return jni->NewStringUTF(Execute(TextOf(jni, command)).c_str());
}

// Arms or disarms the callbacks. When this returns, no disarmed callback is waiting for an answer.
JNIEXPORT void JNICALL Java_CallingAgent_arm(JNIEnv*, jclass, jboolean is_armed) {
  g_is_armed = is_armed != JNI_FALSE;
  while (!g_is_armed && g_commands != g_answers) sched_yield();
}

JNIEXPORT void JNICALL Java_CallingAgent_exitOnRecorder(JNIEnv*, jclass) { g_exits = true; }

// Executes the command on a thread that the JVM does not know.
JNIEXPORT jstring JNICALL Java_CallingAgent_executeOutside(JNIEnv* jni, jclass, jstring command) {
  std::pair<std::string, std::string> call{TextOf(jni, command), ""};
  pthread_t thread;
  const auto run = [](void* data) -> void* {
    auto* const commanded = static_cast<std::pair<std::string, std::string>*>(data);
    commanded->second = Execute(commanded->first);
    return nullptr;
  };
  if (pthread_create(&thread, nullptr, run, &call) != 0) return nullptr;
  pthread_join(thread, nullptr);
  return jni->NewStringUTF(call.second.c_str());
}

JNIEXPORT jstring JNICALL Java_CallingAgent_counts(JNIEnv* jni, jclass) {
  std::string text;
  for (size_t event = 0; event < kEvents; ++event) {
    const std::string name = kEventNames[event];
    text += "busy." + name + '=' + std::to_string(g_busy[event]) + '\n';
    text += "notbusy." + name + '=' + std::to_string(g_not_busy[event]) + '\n';
  }
  return jni->NewStringUTF(text.c_str());
}

}  // extern "C"
