#include "native/asgst_probe/queue_task.h"

#include <unistd.h>

namespace jprof::test {
namespace {

// The argument of an element: the number of its signal, and the number of signals that it stands
// for.
constexpr int kWeightBits = 16;

void* ArgumentOf(uint64_t signal) { return reinterpret_cast<void*>(signal << kWeightBits | 1); }

thread_local ASGST_Queue* t_queue = nullptr;

}  // namespace

QueueTask::Hashes QueueTask::HashesOf(ASGST_Iterator* iterator) const {
  uint64_t hash = 1469598103934665603;
  uint64_t pcs = hash;
  uint64_t methods = hash;
  const auto add = [&hash](uint64_t word) { hash = (hash ^ word) * 1099511628211; };
  ASGST_Frame frame;
  int result = 0;
  while ((result = api_.ASGST_NextFrame(iterator, &frame)) == 1) {
    add(frame.type);
    add(static_cast<uint64_t>(frame.comp_level));
    add(static_cast<uint64_t>(frame.bci));
    add(reinterpret_cast<uint64_t>(frame.method));
    add(reinterpret_cast<uint64_t>(frame.sp));
    add(reinterpret_cast<uint64_t>(frame.fp));
    pcs = (pcs ^ reinterpret_cast<uint64_t>(frame.pc)) * 1099511628211;
    methods = (methods ^ reinterpret_cast<uint64_t>(frame.method)) * 1099511628211;
  }
  add(static_cast<uint64_t>(result));
  return {hash, pcs, methods};
}

void QueueTask::OnWalk(ASGST_Iterator* iterator, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  walk.hashes = walk.task->HashesOf(iterator);
}

void QueueTask::OnStack(ASGST_Iterator* iterator, void* argument, void* element) {
  auto& task = *static_cast<QueueTask*>(argument);
  const auto word = reinterpret_cast<uint64_t>(element);
  const uint64_t signal = word >> kWeightBits;
  task.weights_.fetch_add(word & ((1 << kWeightBits) - 1), std::memory_order_relaxed);
  if (task.api_.profiler_asgst_trace_kind(iterator) != task.kind_) {
    task.other_kind_.fetch_add(1, std::memory_order_relaxed);
  }
  const Hashes hashes = task.HashesOf(iterator);
  const Hashes& expected = task.hashes_[signal % kRecords];
  const bool is_same = hashes.frames == expected.frames;
  (is_same ? task.same_ : task.different_).fetch_add(1, std::memory_order_relaxed);
  if (hashes.methods == expected.methods) {
    task.same_methods_.fetch_add(1, std::memory_order_relaxed);
  }
  if (is_same && hashes.pcs != expected.pcs) {
    task.other_pc_.fetch_add(1, std::memory_order_relaxed);
  }
}

void QueueTask::OnBegin(ASGST_Queue*, ASGST_Iterator* iterator, void* argument) {
  auto& task = *static_cast<QueueTask*>(argument);
  task.begun_.fetch_add(1, std::memory_order_relaxed);
  ASGST_Frame frame;
  if (task.api_.ASGST_NextFrame(iterator, &frame) != 1) {
    task.without_youngest_.fetch_add(1, std::memory_order_relaxed);
  }
}

void QueueTask::OnEnd(ASGST_Queue*, ASGST_Iterator* iterator, void* argument) {
  auto& task = *static_cast<QueueTask*>(argument);
  task.ended_.fetch_add(1, std::memory_order_relaxed);
  if (iterator != nullptr) task.without_youngest_.fetch_add(1, std::memory_order_relaxed);
}

void QueueTask::OnThreadStart(JNIEnv* jni) {
  ASGST_Queue* const queue = api_.ASGST_RegisterQueue(jni, 256, options_, &OnStack, this);
  if (queue == nullptr) {
    not_registered_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  registered_.fetch_add(1, std::memory_order_relaxed);
  api_.ASGST_SetOnQueueProcessingStart(queue, 0, true, &OnBegin, this);
  api_.ASGST_SetOnQueueProcessingEnd(queue, 0, false, &OnEnd, this);
  for (auto& each : queues_) {
    ASGST_Queue* free = nullptr;
    if (each.compare_exchange_strong(free, queue)) break;
  }
  t_queue = queue;
}

void QueueTask::Close(ASGST_Queue* queue) {
  profiler_asgst_counts counts{};
  const bool is_there = api_.profiler_asgst_queue_counts(queue, &counts) == 1;
  if (!is_there) return;
  late_.fetch_add(counts.late_changes, std::memory_order_relaxed);
  counted_full_.fetch_add(counts.refused, std::memory_order_relaxed);
  counted_enqueued_.fetch_add(counts.enqueued, std::memory_order_relaxed);
  api_.ASGST_DeregisterQueue(nullptr, queue);
}

void QueueTask::OnThreadEnd(JNIEnv*) {
  ASGST_Queue* const queue = t_queue;
  t_queue = nullptr;
  if (queue == nullptr) return;
  for (auto& each : queues_) {
    ASGST_Queue* own = queue;
    if (each.compare_exchange_strong(own, nullptr)) break;
  }
  Close(queue);
}

void QueueTask::OnSignal(ucontext_t* ucontext) {
  ASGST_Queue* const queue = t_queue;
  if (queue == nullptr) return;
  const uint64_t signal = handled_.fetch_add(1, std::memory_order_relaxed) + 1;
  Walk walk{this, {}};
  api_.ASGST_RunWithIterator(ucontext, 0, &OnWalk, &walk);
  ASGST_QueueElement* equal = nullptr;
  constexpr uint64_t kBetweenMerges = 4;
  if (signal % kBetweenMerges == 0 &&
      api_.profiler_asgst_find_equal_element(queue, ucontext, &equal) == 1) {
    equal->arg = reinterpret_cast<void*>(reinterpret_cast<uint64_t>(equal->arg) + 1);
    merged_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  hashes_[signal % kRecords] = walk.hashes;
  const int result = api_.ASGST_Enqueue(queue, ucontext, ArgumentOf(signal));
  if (result == kind_) {
    enqueued_.fetch_add(1, std::memory_order_relaxed);
  } else if (result == ASGST_ENQUEUE_FULL_QUEUE) {
    full_.fetch_add(1, std::memory_order_relaxed);
  } else {
    refused_.fetch_add(1, std::memory_order_relaxed);
  }
  if (options_ != 0) return;
  // Other threads can change what a walk reads: the VM replaces return addresses in order to
  // deoptimise methods, and code of C1 is patched.
  Walk again{this, {}};
  api_.ASGST_RunWithIterator(ucontext, 0, &OnWalk, &again);
  if (again.hashes.frames != walk.hashes.frames) unstable_.fetch_add(1, std::memory_order_relaxed);
  if (again.hashes.pcs != walk.hashes.pcs) unstable_pc_.fetch_add(1, std::memory_order_relaxed);
  constexpr uint64_t kBetweenResizes = 64;
  if (signal % kBetweenResizes == 0) {
    api_.ASGST_ResizeQueue(queue, static_cast<int>(1 + signal / kBetweenResizes % 400));
  }
}

std::string QueueTask::Text() {
  for (auto& each : queues_) {
    ASGST_Queue* const queue = each.exchange(nullptr);
    if (queue != nullptr) Close(queue);
  }
  const auto line = [](const char* name, uint64_t value) {
    return std::string("queue.") + name + "=" + std::to_string(value) + "\n";
  };
  return line("registered", registered_) + line("not_registered", not_registered_) +
         line("handled", handled_) + line("enqueued", enqueued_) + line("merged", merged_) +
         line("full", full_) + line("refused", refused_) + line("weights", weights_) +
         line("same", same_) + line("same_methods", same_methods_) +
         line("other_kind", other_kind_) + line("different", different_) +
         line("other_pc", other_pc_) + line("unstable", unstable_) +
         line("unstable_pc", unstable_pc_) + line("begun", begun_) + line("ended", ended_) +
         line("without_youngest", without_youngest_) + line("late", late_) +
         line("counted_full", counted_full_) + line("counted_enqueued", counted_enqueued_);
}

}  // namespace jprof::test
