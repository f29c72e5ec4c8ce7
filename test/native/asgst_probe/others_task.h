// OthersTask: walks all other threads again and again, from a thread that is not attached to the
// JVM.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>

#include "native/asgst_probe/api.h"
#include "native/asgst_probe/probe_task.h"

namespace jprof::test {

class OthersTask : public ProbeTask {
 public:
  OthersTask(const Api& api, uint64_t wanted) : api_(api), wanted_(wanted) {}

  // Walks the thread. Called on one thread.
  void WalkThread(int tid) override;
  bool IsDone() const override { return walks_.load(std::memory_order_relaxed) >= wanted_; }
  std::string Text() override;

 private:
  static void OnWalk(ASGST_Iterator* iterator, void* task);

  const Api& api_;
  const uint64_t wanted_;
  std::atomic<uint64_t> walks_{0};
  uint64_t rooted_ = 0;  // stacks whose last frame is the entry of a thread
  uint64_t unrooted_ = 0;
  uint64_t frames_ = 0;
  uint64_t wrong_ = 0;  // walks after which the results of the functions do not match
  std::map<int, uint64_t> results_;
  std::map<int, uint64_t> ends_;
  std::string first_unrooted_;
  int end_ = 0;
};

}  // namespace jprof::test
