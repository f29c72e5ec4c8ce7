// QueueTask: enqueues the stacks of interrupted threads, and compares each stack that the queue's
// handler gets with the walk in the handler of the same signal. Queues are resized, and removed at
// the end of a thread or before it. Every signal has to come out, or to be counted as lost.
#pragma once

#include <array>
#include <atomic>

#include "native/asgst_probe/api.h"
#include "native/asgst_probe/probe_task.h"

namespace jprof::test {

class QueueTask : public ProbeTask {
 public:
  // If `approximate` is true, the stacks of the elements are those of a later moment.
  QueueTask(const Api& api, uint64_t wanted, bool approximate)
      : api_(api),
        wanted_(wanted),
        options_(approximate ? ASGST_APPROXIMATE_STACKS : 0),
        kind_(approximate ? ASGST_APPROXIMATE_TRACE : ASGST_JAVA_TRACE) {}

  void OnThreadStart(JNIEnv* jni) override;
  void OnThreadEnd(JNIEnv* jni) override;
  void OnSignal(ucontext_t* ucontext) override;
  bool IsDone() const override { return handled_.load(std::memory_order_relaxed) >= wanted_; }
  std::string Text() override;

 private:
  static constexpr size_t kMaxQueues = 1024;
  static constexpr size_t kRecords = size_t{1} << 20;

  // The hashes of the frames without the program counters, of the program counters, and of the
  // methods alone.
  struct Hashes {
    uint64_t frames = 0;
    uint64_t pcs = 0;
    uint64_t methods = 0;
  };
  struct Walk {
    QueueTask* task;
    Hashes hashes;
  };
  static void OnWalk(ASGST_Iterator* iterator, void* walk);
  static void OnStack(ASGST_Iterator* iterator, void* task, void* argument);
  static void OnBegin(ASGST_Queue* queue, ASGST_Iterator* iterator, void* task);
  static void OnEnd(ASGST_Queue* queue, ASGST_Iterator* iterator, void* task);

  Hashes HashesOf(ASGST_Iterator* iterator) const;
  void Close(ASGST_Queue* queue);

  const Api& api_;
  const uint64_t wanted_;
  const int options_;
  const int kind_;  // of the elements
  // The hashes of a stack, by the number of its signal modulo kRecords.
  std::array<Hashes, kRecords> hashes_{};
  std::array<std::atomic<ASGST_Queue*>, kMaxQueues> queues_{};
  // relaxed: counts that are read after the last handler
  std::atomic<uint64_t> handled_{0};  // signals on threads with a queue
  std::atomic<uint64_t> enqueued_{0};
  std::atomic<uint64_t> merged_{0};  // signals whose stack was that of the youngest element
  std::atomic<uint64_t> full_{0};
  std::atomic<uint64_t> refused_{0};
  std::atomic<uint64_t> weights_{0};  // signals in the stacks that have come out
  std::atomic<uint64_t> same_{0};
  std::atomic<uint64_t> different_{0};
  std::atomic<uint64_t> same_methods_{0};
  std::atomic<uint64_t> other_kind_{0};
  std::atomic<uint64_t> other_pc_{0};  // stacks that have other program counters only
  // Signals for which a walk after the call of ASGST_Enqueue differs from the one before it.
  std::atomic<uint64_t> unstable_{0};
  std::atomic<uint64_t> unstable_pc_{0};
  std::atomic<uint64_t> begun_{0};
  std::atomic<uint64_t> ended_{0};
  std::atomic<uint64_t> without_youngest_{0};
  std::atomic<uint64_t> late_{0};
  std::atomic<uint64_t> counted_full_{0};
  std::atomic<uint64_t> counted_enqueued_{0};
  std::atomic<uint64_t> registered_{0};
  std::atomic<uint64_t> not_registered_{0};
};

}  // namespace jprof::test
