// The part of ContextsTask that calls the functions of queues.
#include <unistd.h>

#include <cstdint>

#include "native/asgst_probe/contexts_task.h"

namespace jprof::test {

void ContextsTask::AllOfQueuesReturn(const char* context, int result) {
  ASGST_QueueElement element;
  ASGST_QueueElement* address = nullptr;
  profiler_asgst_counts counts;
  ASGST_Queue* const wrong[] = {nullptr, reinterpret_cast<ASGST_Queue*>(uintptr_t{0x1234}),
                                reinterpret_cast<ASGST_Queue*>(this)};
  for (ASGST_Queue* const queue : wrong) {
    const int no_queue = result == ASGST_NO_THREAD ? ASGST_ENQUEUE_NO_QUEUE : result;
    Expect(context, "Enqueue", api_.ASGST_Enqueue(queue, nullptr, nullptr), no_queue);
    Expect(context, "GetQueueElement",
           reinterpret_cast<intptr_t>(api_.ASGST_GetQueueElement(queue, 0)), 0);
    Expect(context, "find_equal_element",
           api_.profiler_asgst_find_equal_element(queue, nullptr, &address), no_queue);
    Expect(context, "GetQueueSizeInfo", api_.ASGST_GetQueueSizeInfo(queue).capacity, 0);
    Expect(context, "ResizeQueue", api_.ASGST_ResizeQueue(queue, 1), no_queue);
    Expect(context, "DeregisterQueue", api_.ASGST_DeregisterQueue(nullptr, queue), 0);
    Expect(context, "queue_counts", api_.profiler_asgst_queue_counts(queue, &counts),
           ASGST_ENQUEUE_NO_QUEUE);
    Expect(context, "SetOnQueueProcessingStart",
           api_.ASGST_SetOnQueueProcessingStart(queue, 0, true, nullptr, nullptr),
           result == ASGST_FORKED_PROCESS ? result : ASGST_ENQUEUE_NO_QUEUE);
    Expect(context, "SetOnQueueProcessingEnd",
           api_.ASGST_SetOnQueueProcessingEnd(queue, 0, true, nullptr, nullptr),
           result == ASGST_FORKED_PROCESS ? result : ASGST_ENQUEUE_NO_QUEUE);
  }
  Expect(context, "GetEnqueuableElement", api_.ASGST_GetEnqueuableElement(nullptr, &element),
         result);
  Expect(
      context, "RegisterQueue",
      reinterpret_cast<intptr_t>(api_.ASGST_RegisterQueue(nullptr, 1, 0, &OnQueuedStack, nullptr)),
      0);
}

void ContextsTask::OnQueuedStack(ASGST_Iterator* iterator, void* argument, void* element) {
  auto& queued = *static_cast<Queued*>(argument);
  ASGST_Frame frame;
  queued.first_result = queued.task->api_.ASGST_NextFrame(iterator, &frame);
  queued.kind = queued.task->api_.profiler_asgst_trace_kind(iterator);
  if (element != nullptr && element == queued.blocking) {
    while (queued.is_blocked) usleep(1000);
  }
  if (element != nullptr && element == queued.removing) {
    queued.removed = queued.task->api_.ASGST_DeregisterQueue(nullptr, queued.queue);
  }
  // A helper has no queue, and no stack.
  queued.enqueued_by_helper = queued.task->api_.ASGST_Enqueue(queued.queue, nullptr, nullptr);
  queued.calls.fetch_add(1);
}

bool ContextsTask::Await(const std::atomic<int>& count, int wanted) {
  constexpr int kMostMillis = 20'000;
  for (int i = 0; i < kMostMillis && count < wanted; ++i) usleep(1000);
  return count >= wanted;
}

void ContextsTask::Queues(JNIEnv* jni) {
  const char* const context = "queues";
  Queued one{this};
  Queued other{this};
  one.blocking = &one;
  other.removing = &other;
  const auto is_null = [](const void* pointer) { return pointer == nullptr ? 1 : 0; };
  Expect(context, "size 0", is_null(api_.ASGST_RegisterQueue(jni, 0, 0, &OnQueuedStack, this)), 1);
  Expect(context, "size < 0", is_null(api_.ASGST_RegisterQueue(jni, -1, 0, &OnQueuedStack, this)),
         1);
  Expect(context, "too large",
         is_null(api_.ASGST_RegisterQueue(jni, INT32_MAX, 0, &OnQueuedStack, this)), 1);
  Expect(context, "options", is_null(api_.ASGST_RegisterQueue(jni, 1, 2, &OnQueuedStack, this)), 1);
  Expect(context, "fun=null", is_null(api_.ASGST_RegisterQueue(jni, 1, 0, nullptr, this)), 1);
  Expect(context, "no env", is_null(api_.ASGST_RegisterQueue(this, 1, 0, &OnQueuedStack, this)), 1);
  one.queue = api_.ASGST_RegisterQueue(nullptr, 2, 0, &OnQueuedStack, &one);
  other.queue =
      api_.ASGST_RegisterQueue(jni, 2, ASGST_INCLUDE_NON_JAVA_FRAMES, &OnQueuedStack, &other);
  Expect(context, "both", is_null(one.queue) + is_null(other.queue), 0);
  Expect(context, "size", api_.ASGST_ResizeQueue(one.queue, 0), ASGST_WRONG_ARGUMENT);
  Expect(context, "capacity", api_.ASGST_GetQueueSizeInfo(one.queue).capacity, 2);
  ASGST_QueueElement top;
  Expect(context, "element=null", api_.ASGST_GetEnqueuableElement(nullptr, nullptr),
         ASGST_WRONG_ARGUMENT);
  Expect(context, "element", api_.ASGST_GetEnqueuableElement(nullptr, &top), 1);
  // The helper is in the handler of `one`, so what is enqueued from now on stays.
  Expect(context, "Enqueue", api_.ASGST_Enqueue(one.queue, nullptr, &one), 1);
  usleep(200'000);
  Expect(context, "second", api_.ASGST_Enqueue(one.queue, nullptr, nullptr), 1);
  ASGST_QueueElement* const element = api_.ASGST_GetQueueElement(one.queue, -1);
  Expect(context, "youngest", is_null(element), 0);
  Expect(context, "oldest", api_.ASGST_GetQueueElement(one.queue, 0) == element, 1);
  Expect(context, "beyond", is_null(api_.ASGST_GetQueueElement(one.queue, 1)), 1);
  Expect(context, "before", is_null(api_.ASGST_GetQueueElement(one.queue, -2)), 1);
  if (element != nullptr) {
    Expect(context, "same registers",
           element->pc == top.pc && element->sp == top.sp && element->fp == top.fp, 1);
  }
  ASGST_QueueElement* equal = nullptr;
  Expect(context, "find null", api_.profiler_asgst_find_equal_element(one.queue, nullptr, nullptr),
         ASGST_WRONG_ARGUMENT);
  Expect(context, "find", api_.profiler_asgst_find_equal_element(one.queue, nullptr, &equal), 1);
  Expect(context, "found", equal == element, 1);
  Expect(context, "third", api_.ASGST_Enqueue(one.queue, nullptr, nullptr), 1);
  Expect(context, "full", api_.ASGST_Enqueue(one.queue, nullptr, nullptr),
         ASGST_ENQUEUE_FULL_QUEUE);
  Expect(context, "attempts", api_.ASGST_GetQueueSizeInfo(one.queue).attempts, 3);
  iterator_ = reinterpret_cast<ASGST_Iterator*>(one.queue);
  RunOn(&OwnedByAnother);
  // A handler that blocks does not hold up another queue.
  Expect(context, "other", api_.ASGST_Enqueue(other.queue, nullptr, nullptr), 1);
  Expect(context, "other is processed", Await(other.calls, 1), 1);
  Expect(context, "by a helper", other.enqueued_by_helper, ASGST_ENQUEUE_OTHER_ERROR);
  Expect(context, "blocked", one.calls, 0);
  one.is_blocked = false;
  Expect(context, "all", Await(one.calls, 3), 1);
  Expect(context, "a frame", one.first_result, 1);
  Expect(context, "kind", one.kind, ASGST_JAVA_TRACE);
  profiler_asgst_counts counts;
  Expect(context, "counts", api_.profiler_asgst_queue_counts(one.queue, &counts), 1);
  Expect(context, "counts=null", api_.profiler_asgst_queue_counts(one.queue, nullptr),
         ASGST_WRONG_ARGUMENT);
  Expect(context, "enqueued", static_cast<long long>(counts.enqueued), 3);
  Expect(context, "refused", static_cast<long long>(counts.refused), 1);
  Expect(context, "resize", api_.ASGST_ResizeQueue(one.queue, 5), 1);
  for (int i = 0; i < 2000 && api_.ASGST_GetQueueSizeInfo(one.queue).capacity != 5; ++i) {
    usleep(1000);
  }
  Expect(context, "resized", api_.ASGST_GetQueueSizeInfo(one.queue).capacity, 5);
  Expect(context, "to be processed by the end", api_.ASGST_Enqueue(one.queue, nullptr, nullptr), 1);
  Expect(context, "Deregister", api_.ASGST_DeregisterQueue(jni, one.queue), 1);
  Expect(context, "processed by the end", one.calls, 4);
  Expect(context, "Deregister again", api_.ASGST_DeregisterQueue(jni, one.queue), 0);
  Expect(context, "Enqueue after", api_.ASGST_Enqueue(one.queue, nullptr, nullptr),
         ASGST_ENQUEUE_NO_QUEUE);
  // The end of a thread removes its queue.
  RunOn(&EndingThread);
  int result = 1;
  constexpr int kMostMillis = 10'000;
  for (int i = 0; i < kMostMillis && result == 1; ++i) {
    usleep(1000);
    result = api_.profiler_asgst_queue_counts(reinterpret_cast<ASGST_Queue*>(iterator_), &counts);
  }
  Expect(context, "after the end of its thread", result, ASGST_ENQUEUE_NO_QUEUE);
  // A handler removes its own queue.
  Expect(context, "removing", api_.ASGST_Enqueue(other.queue, nullptr, &other), 1);
  Expect(context, "removed", Await(other.calls, 2) && other.removed, 1);
}

// The thread is in native code when it is asked for its stack.
void ContextsTask::ApproximateQueues(JNIEnv* jni) {
  const char* const context = "approximate queue";
  Queued later{this};
  Expect(context, "options",
         api_.ASGST_RegisterQueue(jni, 1, ASGST_APPROXIMATE_STACKS * 2, &OnQueuedStack, &later) ==
             nullptr,
         1);
  later.queue = api_.ASGST_RegisterQueue(jni, 1, ASGST_APPROXIMATE_STACKS, &OnQueuedStack, &later);
  Expect(context, "registered", later.queue != nullptr, 1);
  Expect(context, "Enqueue", api_.ASGST_Enqueue(later.queue, nullptr, nullptr),
         ASGST_APPROXIMATE_TRACE);
  Expect(context, "is processed", Await(later.calls, 1), 1);
  Expect(context, "a frame", later.first_result, 1);
  Expect(context, "kind", later.kind, ASGST_APPROXIMATE_TRACE);
  iterator_ = reinterpret_cast<ASGST_Iterator*>(later.queue);
  RunOn(&OwnedByAnother);
  Expect(context, "Deregister", api_.ASGST_DeregisterQueue(jni, later.queue), 1);
  Expect(context, "Enqueue after", api_.ASGST_Enqueue(later.queue, nullptr, nullptr),
         ASGST_ENQUEUE_NO_QUEUE);
  // The thread cannot answer while it blocks all signals.
  Queued silent{this};
  silent.queue =
      api_.ASGST_RegisterQueue(jni, 1, ASGST_APPROXIMATE_STACKS, &OnQueuedStack, &silent);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  ASGST_QueueElement* equal = nullptr;
  Expect(context, "find in an empty queue",
         api_.profiler_asgst_find_equal_element(silent.queue, nullptr, &equal), 0);
  Expect(context, "Enqueue silently", api_.ASGST_Enqueue(silent.queue, nullptr, nullptr),
         ASGST_APPROXIMATE_TRACE);
  Expect(context, "is processed without an answer", Await(silent.calls, 1), 1);
  Expect(context, "error", silent.first_result, ASGST_NO_ANSWER);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  Expect(context, "Deregister", api_.ASGST_DeregisterQueue(jni, silent.queue), 1);
}

void* ContextsTask::EndingThread(void* argument) {
  auto& task = *static_cast<ContextsTask*>(argument);
  const char* const context = "attached thread without Java frames";
  JNIEnv* jni = nullptr;
  task.vm_->AttachCurrentThread(reinterpret_cast<void**>(&jni), nullptr);
  ASGST_Queue* const queue = task.api_.ASGST_RegisterQueue(nullptr, 1, 0, &OnQueuedStack, argument);
  task.Expect(context, "Enqueue", task.api_.ASGST_Enqueue(queue, nullptr, nullptr),
              ASGST_NO_TOP_JAVA_FRAME);
  task.Expect(context, "RunWithIterator",
              task.api_.ASGST_RunWithIterator(nullptr, 0, &OnNothing, nullptr),
              ASGST_NO_TOP_JAVA_FRAME);
  profiler_asgst_counts counts;
  task.Expect(context, "counts", task.api_.profiler_asgst_queue_counts(queue, &counts), 1);
  task.Expect(context, "failed", static_cast<long long>(counts.failed), 1);
  task.iterator_ = reinterpret_cast<ASGST_Iterator*>(queue);
  task.vm_->DetachCurrentThread();
  return nullptr;
}

void* ContextsTask::OwnedByAnother(void* argument) {
  auto& task = *static_cast<ContextsTask*>(argument);
  auto* const queue = reinterpret_cast<ASGST_Queue*>(task.iterator_);
  const Api& api = task.api_;
  const char* const context = "queue of another thread";
  task.Expect(context, "Enqueue", api.ASGST_Enqueue(queue, nullptr, nullptr),
              ASGST_ENQUEUE_OTHER_ERROR);
  task.Expect(context, "ResizeQueue", api.ASGST_ResizeQueue(queue, 1), ASGST_ENQUEUE_OTHER_ERROR);
  task.Expect(context, "GetQueueElement",
              reinterpret_cast<intptr_t>(api.ASGST_GetQueueElement(queue, 0)), 0);
  return nullptr;
}

}  // namespace jprof::test
