// FuzzTask: calls the functions that walk with altered registers and with pointers that are wrong,
// in handlers. Each call has to return one of the documented results.
//
// The seed determines the alterations, but not where signals interrupt the threads.
#pragma once

#include <atomic>

#include "native/asgst_probe/api.h"
#include "native/asgst_probe/probe_task.h"
#include "native/walk_probe/random.h"

namespace jprof::test {

class FuzzTask : public ProbeTask {
 public:
  FuzzTask(const Api& api, uint64_t wanted, uint64_t seed)
      : api_(api), wanted_(wanted), seed_(seed) {}

  void OnThreadStart(JNIEnv* jni) override;
  void OnSignal(ucontext_t* ucontext) override;
  bool IsDone() const override { return calls_.load(std::memory_order_relaxed) >= wanted_; }
  std::string Text() override;

 private:
  static constexpr int kResults = 64;

  struct Walk {
    FuzzTask* task;
    Random* random;
  };
  static void OnWalk(ASGST_Iterator* iterator, void* walk);
  static void OnStack(ASGST_Iterator* iterator, void* task, void* argument);

  void* Pointer(const ucontext_t& context, Random& random) const;
  void Alter(ucontext_t& context, Random& random) const;
  void CallOnce(const ucontext_t& context, Random& random);
  void Note(int result);

  const Api& api_;
  const uint64_t wanted_;
  const uint64_t seed_;
  // relaxed: counts that are read after the last handler
  std::atomic<uint64_t> signals_{0};
  std::atomic<uint64_t> calls_{0};
  std::atomic<uint64_t> frames_{0};
  std::atomic<uint64_t> undocumented_{0};
  std::atomic<uint64_t> endless_{0};  // walks of more frames than a stack has
  std::atomic<uint64_t> results_[kResults]{};
};

}  // namespace jprof::test
