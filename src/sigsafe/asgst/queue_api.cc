// The functions of include/profiler/asgst.h by which handlers use queues.
#include "profiler/asgst.h"
#include "sigsafe/asgst/exported.h"
#include "sigsafe/asgst/queue.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/os/forked_child.h"

namespace jprof::asgst {
namespace {

static_assert(sizeof(QueueElement) == sizeof(ASGST_QueueElement) &&
              offsetof(QueueElement, pc) == offsetof(ASGST_QueueElement, pc) &&
              offsetof(QueueElement, fp) == offsetof(ASGST_QueueElement, fp) &&
              offsetof(QueueElement, sp) == offsetof(ASGST_QueueElement, sp) &&
              offsetof(QueueElement, arg) == offsetof(ASGST_QueueElement, arg));

// Returns the state; nullptr if the functions cannot be used.
const ApiState* StateForQueues(int32_t* result) {
  if (InForkedChild()) {
    *result = kForkedProcess;
    return nullptr;
  }
  *result = kNotStarted;
  return TheApiState();
}

Queue* QueueOf(ASGST_Queue* queue) { return reinterpret_cast<Queue*>(queue); }

// Calls use(buffer) with the active buffer of a queue whose elements are walked later, and returns
// its result. Needs no right to walk.
template <typename Use>
int UseApproximate(ASGST_Queue* queue, Use use) {
  int32_t result = kMore;
  const ApiState* const state = StateForQueues(&result);
  if (state == nullptr) return result;
  const Queue::OwnerScope owner(QueueOf(queue), *state);
  return owner.result() == kMore ? use(owner.buffer()) : owner.result();
}

}  // namespace
}  // namespace jprof::asgst

using namespace jprof::asgst;  // NOLINT(google-build-using-namespace): the entries of the library

extern "C" {

JPROF_EXPORTED int ASGST_Enqueue(ASGST_Queue* queue, void* ucontext, void* argument) {
  const auto* const interrupted = static_cast<const ucontext_t*>(ucontext);
  if (IsApproximate(queue)) {
    return UseApproximate(queue, [&](QueueBuffer& buffer) {
      return QueueOf(queue)->EnqueueRegisters(buffer, interrupted, argument);
    });
  }
  const jprof::ErrnoSaver errno_saver;
  const WalkSession session;
  if (session.result() != kMore) return session.result();
  const Queue::OwnerScope owner(QueueOf(queue), session.state(), interrupted);
  if (owner.result() != kMore) return owner.result();
  return QueueOf(queue)->Enqueue(owner, session, interrupted, argument);
}

JPROF_EXPORTED int ASGST_GetEnqueuableElement(void* ucontext, ASGST_QueueElement* element) {
  const jprof::ErrnoSaver errno_saver;
  if (element == nullptr) return kWrongArgument;
  *element = {};
  const WalkSession session;
  if (session.result() != kMore) return session.result();
  return TopOf(session, static_cast<const ucontext_t*>(ucontext),
               reinterpret_cast<QueueElement*>(element));
}

JPROF_EXPORTED ASGST_QueueElement* ASGST_GetQueueElement(ASGST_Queue* queue, int n) {
  int32_t result = kMore;
  const ApiState* const state = StateForQueues(&result);
  if (state == nullptr) return nullptr;
  const Queue::OwnerScope owner(QueueOf(queue), *state);
  if (owner.result() != kMore) return nullptr;
  return reinterpret_cast<ASGST_QueueElement*>(Queue::ElementAt(owner.buffer(), n));
}

JPROF_EXPORTED int profiler_asgst_find_equal_element(ASGST_Queue* queue, void* ucontext,
                                                     ASGST_QueueElement** element) {
  const jprof::ErrnoSaver errno_saver;
  if (element == nullptr) return kWrongArgument;
  *element = nullptr;
  const auto* const interrupted = static_cast<const ucontext_t*>(ucontext);
  if (IsApproximate(queue)) {
    return UseApproximate(queue, [&](QueueBuffer& buffer) {
      *element = reinterpret_cast<ASGST_QueueElement*>(Queue::FindRegisters(buffer, interrupted));
      return *element == nullptr ? 0 : 1;
    });
  }
  const WalkSession session;
  if (session.result() != kMore) return session.result();
  const Queue::OwnerScope owner(QueueOf(queue), session.state());
  if (owner.result() != kMore) return owner.result();
  *element = reinterpret_cast<ASGST_QueueElement*>(
      QueueOf(queue)->FindEqual(owner.buffer(), session, interrupted));
  return *element == nullptr ? 0 : 1;
}

JPROF_EXPORTED ASGST_QueueSizeInfo ASGST_GetQueueSizeInfo(ASGST_Queue* queue) {
  int32_t result = kMore;
  const ApiState* const state = StateForQueues(&result);
  if (state == nullptr) return {};
  const Queue::OwnerScope owner(QueueOf(queue), *state);
  if (owner.result() != kMore) return {};
  const QueueBuffer& buffer = owner.buffer();
  return {static_cast<int32_t>(buffer.size.load(std::memory_order_relaxed)),
          static_cast<int32_t>(buffer.capacity), static_cast<int32_t>(buffer.attempts)};
}

JPROF_EXPORTED int ASGST_ResizeQueue(ASGST_Queue* queue, int size) {
  if (size < 1 || size > kMaxCapacity) return kWrongArgument;
  int32_t result = kMore;
  const ApiState* const state = StateForQueues(&result);
  if (state == nullptr) return result;
  const Queue::OwnerScope owner(QueueOf(queue), *state);
  if (owner.result() != kMore) return owner.result();
  QueueOf(queue)->requested_capacity.store(size, std::memory_order_relaxed);
  return kMore;
}

JPROF_EXPORTED int profiler_asgst_queue_counts(ASGST_Queue* queue, profiler_asgst_counts* counts) {
  if (counts == nullptr) return kWrongArgument;
  *counts = {};
  const size_t index = IndexOfQueue(queue);
  if (index == kMaxQueues) return kNoQueue;
  const Queue& of = QueueAt(index);
  if (of.state.load(std::memory_order_acquire) == Queue::kFree) return kNoQueue;
  *counts = {of.enqueued.load(std::memory_order_relaxed),
             of.processed.load(std::memory_order_relaxed),
             of.refused.load(std::memory_order_relaxed), of.failed.load(std::memory_order_relaxed),
             of.late_changes.load(std::memory_order_relaxed)};
  return kMore;
}

}  // extern "C"
