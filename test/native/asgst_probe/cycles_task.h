// CyclesTask: walks interrupted threads, while the use of the API ends and begins again and again.
#pragma once

#include "native/asgst_probe/api.h"
#include "native/asgst_probe/storm_task.h"

namespace jprof::test {

class CyclesTask : public StormTask {
 public:
  CyclesTask(const Api& api, JavaVM* vm, uint64_t wanted)
      : StormTask(api, wanted), api_(api), vm_(vm) {}

  void WalkThread(int tid) override {
    StormTask::WalkThread(tid);
    constexpr uint64_t kBetweenCycles = 50;
    if (++walks_ % kBetweenCycles != 0) return;
    if (api_.profiler_asgst_release() != PROFILER_ASGST_OK) ++failed_;
    StormTask::WalkThread(tid);
    if (api_.profiler_asgst_init(vm_, PROFILER_ASGST_VERSION, 0) != PROFILER_ASGST_OK) ++failed_;
    ++cycles_;
  }
  std::string Text() override {
    return "cycles.cycles=" + std::to_string(cycles_) +
           "\ncycles.failed=" + std::to_string(failed_) + "\n" + StormTask::Text();
  }

 private:
  const Api& api_;
  JavaVM* const vm_;
  // Used by the driver, and after its end.
  uint64_t walks_ = 0;
  int cycles_ = 0;
  int failed_ = 0;
};

}  // namespace jprof::test
