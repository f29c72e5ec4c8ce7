// ContextsTask: calls each function in each context, and with each wrong argument that the function
// can detect.
#pragma once

#include <pthread.h>

#include <atomic>

#include "native/asgst_probe/api.h"
#include "native/asgst_probe/probe_task.h"

namespace jprof::test {

class ContextsTask : public ProbeTask {
 public:
  ContextsTask(const Api& api, JavaVM* vm) : api_(api), vm_(vm) {}

  // Calls the functions before the first use has begun.
  void BeforeInit();
  void Begin(jvmtiEnv* jvmti, JNIEnv* jni) override;
  void OnSignal(ucontext_t* ucontext) override;
  bool IsDone() const override { return true; }
  std::string Text() override;

 private:
  struct Callback {
    ContextsTask* task;
    const char* context;
    int kind;  // of the stack
  };
  static void OnWalk(ASGST_Iterator* iterator, void* callback);
  static void OnNothing(ASGST_Iterator*, void*) {}
  static void* ForeignThread(void* task);
  static void* OtherThread(void* task);

  // Records the calls of the handler of a queue.
  struct Queued {
    ContextsTask* task;
    ASGST_Queue* queue = nullptr;
    const void* blocking = nullptr;  // the element whose handler waits
    const void* removing = nullptr;  // the element whose handler removes the queue
    std::atomic<bool> is_blocked{true};
    std::atomic<bool> removed{false};
    std::atomic<int> first_result{0};
    std::atomic<int> kind{0};
    std::atomic<int> enqueued_by_helper{0};
    std::atomic<int> calls{0};
  };
  static void OnQueuedStack(ASGST_Iterator* iterator, void* queued, void* element);
  static void* OwnedByAnother(void* task);
  static void* EndingThread(void* task);
  static bool Await(const std::atomic<int>& count, int wanted);
  void AllOfQueuesReturn(const char* context, int result);
  void Queues(JNIEnv* jni);
  void ApproximateQueues(JNIEnv* jni);
  static void OnOther(ASGST_Iterator* iterator, void* task);
  static void* BlockingThread(void* task);
  void OtherThreads();

  // Calls all functions where no walk is possible, and expects `result` of each that returns one.
  // If `has_names` is true, names of methods can be asked for.
  void AllReturn(const char* context, int result, bool has_names);
  void WrongArguments(const char* context, void* ucontext);
  void Walk(const char* context, void* ucontext, int options, int wanted_kind);
  void InChild();
  void RunOn(void* (*body)(void*));
  void Expect(const char* context, const char* call, long long got, long long wanted);

  const Api& api_;
  JavaVM* const vm_;
  JNIEnv* jni_ = nullptr;
  ASGST_Iterator* iterator_ = nullptr;  // of the callback under way, or of the last one
  ASGST_Method method_ = nullptr;
  ASGST_Frame caller_{};
  const char* handler_context_ = "handler";
  int handler_options_ = 0;
  int handler_kind_ = ASGST_JAVA_TRACE;
  int frames_of_other_ = 0;
  std::atomic<int> other_tid_{0};  // of BlockingThread, which ends when it is 0
  int checks_ = 0;
  int wrong_ = 0;
  std::string text_;
};

}  // namespace jprof::test
