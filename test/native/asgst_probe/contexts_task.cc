#include "native/asgst_probe/contexts_task.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

namespace jprof::test {
namespace {

void* const kNoObject = reinterpret_cast<void*>(uintptr_t{0x4321});
ASGST_Iterator* const kNoIterator = reinterpret_cast<ASGST_Iterator*>(uintptr_t{0x1000});
ASGST_Method const kNoMethod = reinterpret_cast<ASGST_Method>(uintptr_t{0x7f1234567890});

}  // namespace

void ContextsTask::Expect(const char* context, const char* call, long long got, long long wanted) {
  ++checks_;
  if (got == wanted) return;
  ++wrong_;
  char line[300];
  snprintf(line, sizeof line, "  %s: %s is %lld, wanted %lld\n", context, call, got, wanted);
  text_ += line;
}

void ContextsTask::AllReturn(const char* context, int result, bool has_names) {
  ASGST_Frame frame;
  ASGST_MethodInfo info{};
  ASGST_ClassInfo class_info{};
  ASGST_MethodLineNumberEntry entry;
  Expect(context, "Capabilities", api_.ASGST_Capabilities(),
         result == ASGST_NOT_STARTED ? 0 : api_.ASGST_Capabilities());
  Expect(context, "RunWithIterator", api_.ASGST_RunWithIterator(nullptr, 0, &OnNothing, nullptr),
         result);
  Expect(context, "RunWithIteratorFromFrame",
         api_.ASGST_RunWithIteratorFromFrame(&frame, &frame, &frame, 0, &OnNothing, nullptr),
         result);
  Expect(context, "RunWithIteratorOfThread",
         api_.ASGST_RunWithIteratorOfThread(0, 0, &OnNothing, nullptr), result);
  Expect(context, "NextFrame", api_.ASGST_NextFrame(kNoIterator, &frame), ASGST_WRONG_ITERATOR);
  Expect(context, "RewindIterator", api_.ASGST_RewindIterator(kNoIterator), ASGST_WRONG_ITERATOR);
  Expect(context, "State", api_.ASGST_State(kNoIterator), ASGST_WRONG_ITERATOR);
  Expect(context, "trace_kind", api_.profiler_asgst_trace_kind(kNoIterator), ASGST_WRONG_ITERATOR);
  Expect(context, "ThreadState", api_.ASGST_ThreadState(), result);
  Expect(context, "GetMethodInfo", api_.ASGST_GetMethodInfo(kNoMethod, &info),
         has_names ? ASGST_UNKNOWN_METHOD : result);
  Expect(context, "GetClassInfo", api_.ASGST_GetClassInfo(nullptr, &class_info),
         has_names ? ASGST_UNKNOWN_METHOD : result);
  Expect(context, "GetMethodIdNum", api_.ASGST_GetMethodIdNum(kNoMethod), 0);
  Expect(context, "GetClassIdNum", api_.ASGST_GetClassIdNum(nullptr), 0);
  Expect(context, "GetClass", reinterpret_cast<intptr_t>(api_.ASGST_GetClass(kNoMethod)), 0);
  Expect(context, "GetMethodLineNumberTable",
         api_.ASGST_GetMethodLineNumberTable(kNoMethod, &entry, 1),
         has_names ? ASGST_UNKNOWN_METHOD : result);
  Expect(context, "GetMethodLineNumber", api_.ASGST_GetMethodLineNumber(kNoMethod, 0), -1);
  Expect(context, "MethodToJMethodID",
         reinterpret_cast<intptr_t>(api_.ASGST_MethodToJMethodID(kNoMethod)), 0);
  Expect(context, "JMethodIDToMethod",
         reinterpret_cast<intptr_t>(api_.ASGST_JMethodIDToMethod(nullptr)), 0);
  AllOfQueuesReturn(context, result);
}

void ContextsTask::BeforeInit() {
  AllReturn("before init", ASGST_NOT_STARTED, false);
  Expect("before init", "release", api_.profiler_asgst_release(), PROFILER_ASGST_FAILED);
  Expect("before init", "version", api_.profiler_asgst_version(), PROFILER_ASGST_VERSION);
  Expect("OnLoad", "init", api_.profiler_asgst_init(vm_, 1, 0), PROFILER_ASGST_TOO_EARLY);
  AllReturn("after early init", ASGST_NOT_STARTED, false);
}

void ContextsTask::WrongArguments(const char* context, void* ucontext) {
  ASGST_Frame frame;
  ASGST_MethodInfo info{};
  Expect(context, "fun=null", api_.ASGST_RunWithIterator(ucontext, 0, nullptr, nullptr),
         ASGST_WRONG_ARGUMENT);
  for (int bit = 2; bit < 32; ++bit) {
    const auto options = static_cast<int32_t>(uint32_t{1} << bit);
    Expect(context, "options", api_.ASGST_RunWithIterator(ucontext, options, &OnNothing, nullptr),
           ASGST_WRONG_ARGUMENT);
  }
  for (void* const sp : {static_cast<void*>(nullptr), kNoObject, reinterpret_cast<void*>(-1),
                         static_cast<void*>(&text_)}) {
    Expect(context, "sp", api_.ASGST_RunWithIteratorFromFrame(sp, sp, sp, 0, &OnNothing, nullptr),
           handler_kind_ == ASGST_JAVA_TRACE ? ASGST_WRONG_ARGUMENT : ASGST_NO_THREAD);
  }
  // A frame that is none, on the thread's stack: any error, but no fault.
  Expect(context, "no frame",
         api_.ASGST_RunWithIteratorFromFrame(&frame, kNoObject, kNoObject, 0, &OnNothing,
                                             nullptr) <= 1,
         1);
  // Registers of no thread.
  ucontext_t nowhere{};
  Expect(context, "sp of no stack", api_.ASGST_RunWithIterator(&nowhere, 0, &OnNothing, nullptr),
         handler_kind_ == ASGST_JAVA_TRACE ? ASGST_UNSAFE_STATE : ASGST_NO_THREAD);
  Expect(context, "frame=null", api_.ASGST_NextFrame(iterator_, nullptr), ASGST_WRONG_ARGUMENT);
  Expect(context, "State(null)", api_.ASGST_State(nullptr), ASGST_NO_FRAME);
  Expect(context, "info=null", api_.ASGST_GetMethodInfo(method_, nullptr), ASGST_WRONG_ARGUMENT);
  Expect(context, "class info=null", api_.ASGST_GetClassInfo(nullptr, nullptr),
         ASGST_WRONG_ARGUMENT);
  Expect(context, "unknown method", api_.ASGST_GetMethodInfo(kNoMethod, &info),
         ASGST_UNKNOWN_METHOD);
  Expect(context, "length<0", api_.ASGST_GetMethodLineNumberTable(method_, nullptr, -1),
         ASGST_WRONG_ARGUMENT);
  Expect(context, "entries=null", api_.ASGST_GetMethodLineNumberTable(method_, nullptr, 1),
         ASGST_WRONG_ARGUMENT);
  Expect(context, "misaligned id",
         reinterpret_cast<intptr_t>(
             api_.ASGST_JMethodIDToMethod(reinterpret_cast<_jmethodID*>(uintptr_t{0x10001}))),
         0);
  Expect(context, "unmapped id",
         reinterpret_cast<intptr_t>(
             api_.ASGST_JMethodIDToMethod(reinterpret_cast<_jmethodID*>(uintptr_t{0x10000}))),
         0);
}

void ContextsTask::OnWalk(ASGST_Iterator* iterator, void* argument) {
  const auto& callback = *static_cast<const Callback*>(argument);
  ContextsTask& task = *callback.task;
  const Api& api = task.api_;
  const char* const context = callback.context;
  task.iterator_ = iterator;
  ASGST_Frame frame;
  task.Expect(context, "State at first", api.ASGST_State(iterator), 1);
  task.Expect(context, "kind", api.profiler_asgst_trace_kind(iterator), callback.kind);
  int frames = 0;
  while (api.ASGST_NextFrame(iterator, &frame) == 1) {
    ++frames;
    if (frame.type == ASGST_FRAME_JAVA) {
      task.method_ = frame.method;
      task.caller_ = frame;
    }
  }
  task.Expect(context, "frames", frames > 0, 1);
  task.Expect(context, "frame at the end", frame.type, 0);
  task.Expect(context, "State at end", api.ASGST_State(iterator), 0);
  task.Expect(context, "NextFrame at end", api.ASGST_NextFrame(iterator, &frame), 0);
  task.Expect(context, "rewind", api.ASGST_RewindIterator(iterator), 1);
  task.Expect(context, "first again", api.ASGST_NextFrame(iterator, &frame), 1);
  // A byte beyond the iterator is not an iterator.
  auto* const beside = reinterpret_cast<ASGST_Iterator*>(reinterpret_cast<char*>(iterator) + 8);
  task.Expect(context, "beside", api.ASGST_NextFrame(beside, &frame), ASGST_WRONG_ITERATOR);
  // A nested walk does not disturb the outer one.
  ASGST_Iterator* const outer = iterator;
  task.Expect(context, "nested", api.ASGST_RunWithIterator(nullptr, 0, &OnNothing, nullptr) <= 1,
              1);
  task.Expect(context, "outer goes on", api.ASGST_State(outer), 1);
  task.WrongArguments(context, nullptr);
  task.RunOn(&OtherThread);
}

void* ContextsTask::OtherThread(void* argument) {
  auto& task = *static_cast<ContextsTask*>(argument);
  ASGST_Frame frame;
  task.Expect("other thread", "NextFrame", task.api_.ASGST_NextFrame(task.iterator_, &frame),
              ASGST_WRONG_ITERATOR);
  task.Expect("other thread", "State", task.api_.ASGST_State(task.iterator_), ASGST_WRONG_ITERATOR);
  return nullptr;
}

// Blocks the signal, so that the driver's signals do not reach the thread.
void ContextsTask::RunOn(void* (*body)(void*)) {
  pthread_t thread;
  if (pthread_create(&thread, nullptr, body, this) == 0) pthread_join(thread, nullptr);
}

void ContextsTask::Walk(const char* context, void* ucontext, int options, int wanted_kind) {
  Callback callback{this, context, wanted_kind};
  Expect(context, "RunWithIterator",
         api_.ASGST_RunWithIterator(ucontext, options, &OnWalk, &callback), wanted_kind);
  ASGST_Frame frame;
  Expect(context, "after the callback", api_.ASGST_NextFrame(iterator_, &frame),
         ASGST_WRONG_ITERATOR);
}

void ContextsTask::OnSignal(ucontext_t* ucontext) {
  Walk(handler_context_, ucontext, handler_options_, handler_kind_);
}

void* ContextsTask::ForeignThread(void* argument) {
  auto& task = *static_cast<ContextsTask*>(argument);
  task.AllReturn("foreign thread", ASGST_NO_THREAD, true);
  task.handler_context_ = "handler of a foreign thread";
  task.handler_options_ = ASGST_INCLUDE_NON_JAVA_FRAMES;
  task.handler_kind_ = ASGST_NON_JAVA_TRACE;
  raise(SIGPROF);
  return nullptr;
}

void ContextsTask::OnOther(ASGST_Iterator* iterator, void* argument) {
  auto& task = *static_cast<ContextsTask*>(argument);
  ASGST_Frame frame;
  task.Expect("other thread's frames", "NextFrame", task.api_.ASGST_NextFrame(iterator, &frame), 1);
  task.Expect("other thread's frames", "kind", task.api_.profiler_asgst_trace_kind(iterator),
              ASGST_JAVA_TRACE);
  task.Expect("other thread's frames", "rewind", task.api_.ASGST_RewindIterator(iterator), 1);
  while (task.api_.ASGST_NextFrame(iterator, &frame) == 1) ++task.frames_of_other_;
  task.iterator_ = iterator;
}

void* ContextsTask::BlockingThread(void* argument) {
  auto& task = *static_cast<ContextsTask*>(argument);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  task.other_tid_ = gettid();
  while (task.other_tid_ != 0) usleep(1000);
  return nullptr;
}

void ContextsTask::OtherThreads() {
  const char* const context = "another thread";
  const int own = gettid();
  Expect(context, "tid -1", api_.ASGST_RunWithIteratorOfThread(-1, 0, &OnOther, this),
         ASGST_NO_THREAD);
  if (getpid() != 1) {
    Expect(context, "tid of another process",
           api_.ASGST_RunWithIteratorOfThread(1, 0, &OnOther, this), ASGST_NO_THREAD);
  }
  Expect(context, "fun=null", api_.ASGST_RunWithIteratorOfThread(own, 0, nullptr, this),
         ASGST_WRONG_ARGUMENT);
  Expect(context, "options", api_.ASGST_RunWithIteratorOfThread(own, 2, &OnOther, this),
         ASGST_WRONG_ARGUMENT);
  frames_of_other_ = 0;
  Expect(context, "the calling thread", api_.ASGST_RunWithIteratorOfThread(own, 0, &OnOther, this),
         ASGST_JAVA_TRACE);
  // WalkProbe.begin and the three methods of the program
  Expect(context, "frames", frames_of_other_, 4);
  ASGST_Frame frame;
  Expect(context, "after the callback", api_.ASGST_NextFrame(iterator_, &frame),
         ASGST_WRONG_ITERATOR);
  pthread_t thread;
  other_tid_ = 0;
  if (pthread_create(&thread, nullptr, &BlockingThread, this) != 0) return;
  while (other_tid_ == 0) usleep(1000);
  // More threads than requests can be pending.
  for (int i = 0; i < 20; ++i) {
    Expect(context, "it blocks all signals",
           api_.ASGST_RunWithIteratorOfThread(other_tid_, 0, &OnOther, this), ASGST_NO_ANSWER);
  }
  other_tid_ = 0;
  pthread_join(thread, nullptr);
}

void ContextsTask::InChild() {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const int before = wrong_;
    AllReturn("forked child", ASGST_FORKED_PROCESS, false);
    Expect("forked child", "init", api_.profiler_asgst_init(vm_, 1, 0), PROFILER_ASGST_FORKED);
    if (wrong_ != before && write(STDERR_FILENO, text_.data(), text_.size()) < 0) _exit(100);
    _exit(wrong_ - before);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Expect("forked child", "its status", status, 0);
}

void ContextsTask::Begin(jvmtiEnv*, JNIEnv* jni) {
  jni_ = jni;
  Expect("init", "version 0", api_.profiler_asgst_init(vm_, 0, 0), PROFILER_ASGST_WRONG_VERSION);
  Expect("init", "version 2", api_.profiler_asgst_init(vm_, 2, 0), PROFILER_ASGST_WRONG_VERSION);
  Expect("init", "null", api_.profiler_asgst_init(nullptr, 1, 0), PROFILER_ASGST_WRONG_JVM);
  Expect("init", "other", api_.profiler_asgst_init(kNoObject, 1, 0), PROFILER_ASGST_WRONG_JVM);
  Expect("init", "options", api_.profiler_asgst_init(vm_, 1, 2), PROFILER_ASGST_WRONG_OPTIONS);
  Expect("init", "second use", api_.profiler_asgst_init(vm_, 1, 0), PROFILER_ASGST_OK);
  Expect("release", "second use", api_.profiler_asgst_release(), PROFILER_ASGST_OK);
  Walk("attached thread", nullptr, 0, ASGST_JAVA_TRACE);
  Expect("attached thread", "from a frame",
         api_.ASGST_RunWithIteratorFromFrame(caller_.sp, caller_.fp, caller_.pc, 0, &OnNothing,
                                             nullptr),
         ASGST_JAVA_TRACE);
  Walk("attached thread, native frames", nullptr, ASGST_INCLUDE_NON_JAVA_FRAMES, ASGST_JAVA_TRACE);
  Expect("attached thread", "ThreadState", api_.ASGST_ThreadState() & 0x400005, 0x400005);
  raise(SIGPROF);
  handler_context_ = "handler, native frames";
  handler_options_ = ASGST_INCLUDE_NON_JAVA_FRAMES;
  raise(SIGPROF);
  RunOn(&ForeignThread);
  Queues(jni);
  ApproximateQueues(jni);
  OtherThreads();
  InChild();
  Expect("release", "last use", api_.profiler_asgst_release(), PROFILER_ASGST_OK);
  AllReturn("after release", ASGST_NOT_STARTED, true);
  ASGST_MethodInfo info{};
  Expect("after release", "GetMethodInfo of a known method",
         api_.ASGST_GetMethodInfo(method_, &info), 1);
  Expect("release", "no use", api_.profiler_asgst_release(), PROFILER_ASGST_FAILED);
  Expect("init", "again", api_.profiler_asgst_init(vm_, 1, 0), PROFILER_ASGST_OK);
  handler_context_ = "handler after the second init";
  handler_kind_ = ASGST_JAVA_TRACE;
  raise(SIGPROF);
}

std::string ContextsTask::Text() {
  return "contexts.checks=" + std::to_string(checks_) +
         "\ncontexts.wrong=" + std::to_string(wrong_) + "\n" + text_;
}

}  // namespace jprof::test
