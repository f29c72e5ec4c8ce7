// The functions of include/profiler/asgst.h that register queues.
#include "asgst/queue_service.h"
#include "profiler/asgst.h"
#include "sigsafe/asgst/exported.h"
#include "sigsafe/hotspot/java_thread.h"
#include "sigsafe/os/forked_child.h"
#include "sigsafe/os/thread_id.h"

namespace jprof::asgst {
namespace {

// Finds the thread of `env`, or the calling thread if `env` is nullptr.
std::optional<QueueService::Owner> FindOwner(const void* env) {
  const WalkSession session;
  if (session.result() != kMore) return std::nullopt;
  const ApiState& state = session.state();
  const uint64_t own = RunningJavaThread(state);
  if (env == nullptr) {
    if (own == 0) return std::nullopt;
    return QueueService::Owner{own, CurrentTid()};
  }
  uint64_t functions = 0;
  if (!GuardedLoad(reinterpret_cast<uint64_t>(env), &functions) ||
      functions != state.jni_functions) {
    return std::nullopt;
  }
  const uint64_t java_thread = JavaThreadOf(env, state.vm->env_offset);
  if (java_thread == own) return QueueService::Owner{own, CurrentTid()};
  const std::optional<Tid> tid = SafeThreadIdOf(*state.vm, java_thread);
  if (!tid) return std::nullopt;
  return QueueService::Owner{java_thread, *tid};
}

int SetProcessing(ASGST_Queue* queue, int options, bool at_end,
                  const QueueService::Processing& processing) {
  if (options != 0) return kWrongArgument;
  if (InForkedChild()) return kForkedProcess;
  return QueueService::OfProcess().SetProcessing(queue, at_end, processing) ? kMore : kNoQueue;
}

}  // namespace
}  // namespace jprof::asgst

using namespace jprof::asgst;  // NOLINT(google-build-using-namespace): the entries of the library

extern "C" {

JPROF_EXPORTED ASGST_Queue* ASGST_RegisterQueue(void* env, int size, int options, ASGST_Handler fun,
                                                void* argument) {
  if (fun == nullptr || size < 1 || size > kMaxCapacity ||
      (options & ~(kWithNonJava | kApproximate)) != 0) {
    return nullptr;
  }
  const std::optional<QueueService::Owner> owner = FindOwner(env);
  if (!owner) return nullptr;
  return reinterpret_cast<ASGST_Queue*>(
      QueueService::OfProcess().Register(*owner, size, options, fun, argument));
}

JPROF_EXPORTED bool ASGST_DeregisterQueue(void*, ASGST_Queue* queue) {
  return !jprof::InForkedChild() && QueueService::OfProcess().Deregister(queue);
}

JPROF_EXPORTED int ASGST_SetOnQueueProcessingStart(ASGST_Queue* queue, int options,
                                                   bool offers_iterator,
                                                   ASGST_OnQueueSafepointHandler before,
                                                   void* argument) {
  return SetProcessing(queue, options, false, {before, offers_iterator, argument});
}

JPROF_EXPORTED int ASGST_SetOnQueueProcessingEnd(ASGST_Queue* queue, int options,
                                                 bool offers_iterator,
                                                 ASGST_OnQueueSafepointHandler end,
                                                 void* argument) {
  return SetProcessing(queue, options, true, {end, offers_iterator, argument});
}

}  // extern "C"
