// StormTask: walks every interrupted thread by an iterator, and counts how the walks end.
#pragma once

#include <atomic>

#include "native/asgst_probe/api.h"
#include "native/asgst_probe/probe_task.h"

namespace jprof::test {

class StormTask : public ProbeTask {
 public:
  StormTask(const Api& api, uint64_t wanted) : api_(api), wanted_(wanted) {}

  void OnSignal(ucontext_t* ucontext) override;
  bool IsDone() const override { return begun_.load(std::memory_order_relaxed) >= wanted_; }
  std::string Text() override;

 private:
  static constexpr int kResults = 64;

  struct Walk {
    StormTask* task;
    bool with_others;
  };
  static void OnWalk(ASGST_Iterator* iterator, void* walk);

  const Api& api_;
  const uint64_t wanted_;
  // relaxed: counts that are read after the last handler
  std::atomic<uint64_t> begun_{0};
  std::atomic<uint64_t> frames_{0};
  std::atomic<uint64_t> unnamed_{0};           // Java frames without a method, or without its name
  std::atomic<uint64_t> results_[kResults]{};  // by minus the result at the end of the walk
  std::atomic<uint64_t> refused_[kResults]{};  // by minus the result of ASGST_RunWithIterator
  std::atomic<uint64_t> changed_errno_{0};
};

}  // namespace jprof::test
