// A profiler that walks threads from a thread of its own, by the stack walking API of
// libprofiler.so.
//
//   java -agentpath:libthread_profiler.so=flames.html -cp . MathParser
//
// Every few milliseconds, each thread of the program is asked for its stack, whether it runs or
// waits. The callback runs on the profiler's thread, so it allocates.
#include <jvmti.h>
#include <profiler/asgst.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
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

std::mutex g_mutex;  // guards g_threads
std::set<int> g_threads;
Node g_root;  // used by the sampler alone, until it has ended
long g_failed = 0;
long g_without_java = 0;
std::atomic<bool> g_is_running{false};
std::thread g_sampler;
std::string g_path = "flames.html";
JavaVM* g_vm = nullptr;

void OnStack(ASGST_Iterator* iterator, void*) {
  std::vector<std::string> names;
  ASGST_Frame frame;
  while (ASGST_NextFrame(iterator, &frame) == 1) names.push_back(NameOf(frame.method));
  g_root.Add(names);
}

// True if the thread runs no Java code, such as the threads of the compilers.
bool RunsNoJava(int result) {
  return result == ASGST_NO_THREAD || result == ASGST_NO_TOP_JAVA_FRAME;
}

void Sample() {
  while (g_is_running) {
    std::set<int> threads;
    {
      const std::lock_guard<std::mutex> lock(g_mutex);
      threads = g_threads;
    }
    for (const int tid : threads) {
      const int result = ASGST_RunWithIteratorOfThread(tid, 0, &OnStack, nullptr);
      if (result <= 0) ++(RunsNoJava(result) ? g_without_java : g_failed);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void JNICALL OnThreadStart(jvmtiEnv*, JNIEnv*, jthread) {
  const std::lock_guard<std::mutex> lock(g_mutex);
  g_threads.insert(gettid());
}

void JNICALL OnThreadEnd(jvmtiEnv*, JNIEnv*, jthread) {
  const std::lock_guard<std::mutex> lock(g_mutex);
  g_threads.erase(gettid());
}

void JNICALL OnVMInit(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) {
  const int begun = profiler_asgst_init(g_vm, PROFILER_ASGST_VERSION, 0);
  if (begun != PROFILER_ASGST_OK || (ASGST_Capabilities() & ASGST_ITERATOR_OF_THREAD) == 0) {
    fprintf(stderr, "threads cannot be walked: %d\n", begun);
    return;
  }
  OnThreadStart(jvmti, jni, thread);
  jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_THREAD_START, nullptr);
  jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_THREAD_END, nullptr);
  g_is_running = true;
  g_sampler = std::thread(Sample);
}

void JNICALL OnVMDeath(jvmtiEnv*, JNIEnv*) {
  g_is_running = false;
  if (g_sampler.joinable()) g_sampler.join();
  WriteFlameGraph(g_path.c_str(), g_root);
  printf("samples=%ld failed=%ld without_java=%ld\n", g_root.samples, g_failed, g_without_java);
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
