// A profiler that walks in the signal handler, by the stack walking API of libprofiler.so.
//
//   java -agentpath:libhandler_profiler.so=flames.html -cp . MathParser
//
// Every few milliseconds of CPU time, the thread that runs is interrupted. Its handler stores the
// methods of its stack in memory that exists already; names are looked up at the end.
#include <jvmti.h>
#include <profiler/asgst.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
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

constexpr int kMaxDepth = 200;
constexpr int kMaxTraces = 20'000;

struct Trace {
  int depth;
  std::array<ASGST_Method, kMaxDepth> methods;
};

std::array<Trace, kMaxTraces> g_traces;
std::atomic<int> g_next{0};
std::atomic<int> g_failed{0};
std::atomic<int> g_without_java{0};
std::string g_path = "flames.html";
JavaVM* g_vm = nullptr;

void StoreTrace(ASGST_Iterator* iterator, void* argument) {
  Trace& trace = *static_cast<Trace*>(argument);
  ASGST_Frame frame;
  while (trace.depth < kMaxDepth && ASGST_NextFrame(iterator, &frame) == 1) {
    trace.methods[static_cast<size_t>(trace.depth++)] = frame.method;
  }
}

// True if the thread runs no Java code, such as the threads of the compilers.
bool RunsNoJava(int result) {
  return result == ASGST_NO_THREAD || result == ASGST_NO_TOP_JAVA_FRAME;
}

void OnSignal(int, siginfo_t*, void* ucontext) {
  const int index = g_next.fetch_add(1);
  if (index >= kMaxTraces) return;
  Trace& trace = g_traces[static_cast<size_t>(index)];
  const int result = ASGST_RunWithIterator(ucontext, 0, &StoreTrace, &trace);
  if (result == ASGST_JAVA_TRACE) return;
  ++(RunsNoJava(result) ? g_without_java : g_failed);
}

void SetTimer(int microseconds) {
  const itimerval timer{{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

void JNICALL OnVMInit(jvmtiEnv*, JNIEnv*, jthread) {
  const int begun = profiler_asgst_init(g_vm, PROFILER_ASGST_VERSION, 0);
  if (begun != PROFILER_ASGST_OK) {
    fprintf(stderr, "stacks cannot be walked: %d\n", begun);
    return;
  }
  struct sigaction action {};
  action.sa_sigaction = OnSignal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  SetTimer(1000);
}

void JNICALL OnVMDeath(jvmtiEnv*, JNIEnv*) {
  SetTimer(0);
  signal(SIGPROF, SIG_IGN);
  Node root;
  const int count = std::min(g_next.load(), kMaxTraces);
  for (int i = 0; i < count; ++i) {
    const Trace& trace = g_traces[static_cast<size_t>(i)];
    std::vector<std::string> names;
    for (int j = 0; j < trace.depth; ++j) {
      names.push_back(NameOf(trace.methods[static_cast<size_t>(j)]));
    }
    if (!names.empty()) root.Add(names);
  }
  WriteFlameGraph(g_path.c_str(), root);
  printf("samples=%ld failed=%d without_java=%d\n", root.samples, g_failed.load(),
         g_without_java.load());
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
  jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
  jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, nullptr);
  jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, nullptr);
  return JNI_OK;
}
