// A profiler that enqueues stacks in the signal handler, by the stack walking API of libprofiler.so.
//
//   java -agentpath:libqueue_profiler.so=flames.html -cp . MathParser
//
// Every few milliseconds of CPU time, the thread that runs is interrupted, and enqueues its stack. The
// handler of the queues runs on another thread, so it allocates and takes a lock.
#include <jvmti.h>
#include <profiler/asgst.h>
#include <sys/time.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

// A method in the tree of all stacks.
struct Node {
  long samples = 0;
  std::map<std::string, Node> callees;

  // Adds a stack, whose names are callee first.
  void Add(const std::vector<std::string>& names) {
    Node* node = this;
    ++node->samples;
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      node = &node->callees[*name];
      ++node->samples;
    }
  }
};

std::string Escaped(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return result;
}

// Returns Class.method for package/Class.method.
std::string WithoutPackage(const std::string& name) {
  const size_t slash = name.rfind('/');
  return slash == std::string::npos ? name : name.substr(slash + 1);
}

// Methods of one class have one colour.
void WriteNode(FILE* file, const std::string& name, const Node& node, long of) {
  constexpr int kFirstHue = 15;
  constexpr int kHues = 45;
  const size_t hash = std::hash<std::string>()(name.substr(0, name.rfind('.')));
  fprintf(file,
          "<div class=n style=\"width:%.3f%%\"><p style=\"background:hsl(%d,90%%,65%%)\" "
          "title=\"%s: %ld\">%s</p><div class=c>\n",
          100.0 * static_cast<double>(node.samples) / static_cast<double>(of),
          kFirstHue + static_cast<int>(hash % kHues), Escaped(name).c_str(), node.samples,
          Escaped(WithoutPackage(name)).c_str());
  for (const auto& [callee, child] : node.callees) WriteNode(file, callee, child, node.samples);
  fprintf(file, "</div></div>\n");
}

// Writes the flame graph, callers above callees.
void WriteFlameGraph(const char* path, const Node& root) {
  FILE* const file = fopen(path, "w");
  if (file == nullptr) return;
  fprintf(file,
          "<!DOCTYPE html><meta charset=utf-8><title>flame graph</title><style>.c{display:flex}"
          ".n{min-width:0}p{margin:0 1px 1px 0;padding:1px;overflow:hidden;"
          "white-space:nowrap;text-overflow:ellipsis;font:11px sans-serif}</style>\n");
  if (root.samples > 0) WriteNode(file, "all", root, root.samples);
  fclose(file);
}

// Returns package/Class.method for a method, outside of handlers.
std::string NameOf(ASGST_Method method) {
  char method_name[200];
  char class_name[200];
  ASGST_MethodInfo info{};
  info.method_name = method_name;
  info.method_name_length = sizeof method_name;
  ASGST_ClassInfo class_info{};
  class_info.class_name = class_name;
  class_info.class_name_length = sizeof class_name;
  if (ASGST_GetMethodInfo(method, &info) != 1) return "unknown";
  if (ASGST_GetClassInfo(info.klass, &class_info) != 1) return "unknown";
  return std::string(class_name) + "." + method_name;
}

// initial-exec: the access in the handler must not allocate.
__attribute__((tls_model("initial-exec"))) thread_local ASGST_Queue* t_queue = nullptr;

std::mutex g_mutex;  // guards g_root
Node g_root;
std::atomic<int> g_failed{0};
std::atomic<int> g_full{0};
std::string g_path = "flames.html";
JavaVM* g_vm = nullptr;
ASGST_Queue* g_main_queue = nullptr;  // of the thread that was there at the start

void OnStack(ASGST_Iterator* iterator, void*, void*) {
  std::vector<std::string> names;
  ASGST_Frame frame;
  while (ASGST_NextFrame(iterator, &frame) == 1) names.push_back(NameOf(frame.method));
  const std::lock_guard<std::mutex> lock(g_mutex);
  g_root.Add(names);
}

void OnSignal(int, siginfo_t*, void* ucontext) {
  if (t_queue == nullptr) return;
  const int result = ASGST_Enqueue(t_queue, ucontext, nullptr);
  if (result == ASGST_ENQUEUE_FULL_QUEUE) {
    ++g_full;
  } else if (result <= 0) {
    ++g_failed;
  }
}

void SetTimer(int microseconds) {
  const itimerval timer{{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

void JNICALL OnThreadStart(jvmtiEnv*, JNIEnv* jni, jthread) {
  t_queue = ASGST_RegisterQueue(jni, 1000, 0, &OnStack, nullptr);
}

void JNICALL OnThreadEnd(jvmtiEnv*, JNIEnv* jni, jthread) {
  ASGST_Queue* const queue = t_queue;
  t_queue = nullptr;
  if (queue != nullptr) ASGST_DeregisterQueue(jni, queue);
}

void JNICALL OnVMInit(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) {
  const int begun = profiler_asgst_init(g_vm, PROFILER_ASGST_VERSION, 0);
  if (begun != PROFILER_ASGST_OK || (ASGST_Capabilities() & ASGST_REGISTER_QUEUE) == 0) {
    fprintf(stderr, "stacks cannot be enqueued: %d\n", begun);
    return;
  }
  OnThreadStart(jvmti, jni, thread);
  g_main_queue = t_queue;
  jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_THREAD_START, nullptr);
  jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_THREAD_END, nullptr);
  struct sigaction action {};
  action.sa_sigaction = OnSignal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  SetTimer(1000);
}

void JNICALL OnVMDeath(jvmtiEnv*, JNIEnv* jni) {
  SetTimer(0);
  signal(SIGPROF, SIG_IGN);
  // Waits until the stacks of the main thread have been processed, if its end has not done so.
  if (g_main_queue != nullptr) ASGST_DeregisterQueue(jni, g_main_queue);
  const std::lock_guard<std::mutex> lock(g_mutex);
  WriteFlameGraph(g_path.c_str(), g_root);
  printf("samples=%ld failed=%d full=%d\n", g_root.samples, g_failed.load(), g_full.load());
  fflush(stdout);
}

}  // namespace

extern "C" JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void*) {
  g_vm = vm;
  if (options != nullptr && *options != '\0') g_path = options;
  jvmtiEnv* jvmti = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_1_2) != JNI_OK) return JNI_ERR;
  jvmtiEventCallbacks callbacks{};
  callbacks.VMInit = OnVMInit;
  callbacks.VMDeath = OnVMDeath;
  callbacks.ThreadStart = OnThreadStart;
  callbacks.ThreadEnd = OnThreadEnd;
  jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
  jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, nullptr);
  jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, nullptr);
  return JNI_OK;
}
