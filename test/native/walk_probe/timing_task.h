// TimingTask: measures how long our walker and AsyncGetCallTrace take for the stacks of the
// program. The two take turns, so that each finds the caches in the state in which a sample finds
// them.
#pragma once

#include <array>
#include <atomic>

#include "native/walk_probe/walk_task.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof::test {

class TimingTask : public WalkTask {
 public:
  TimingTask(const HotspotLayout& vm, AsgctFunction asgct, uint64_t walks)
      : vm_(vm), asgct_(asgct), walks_(walks) {}

  void Run(const void* jni_env, const ucontext_t* context, const WalkBuffer& buffer) override;
  bool IsDone() const override { return begun_.load(std::memory_order_relaxed) >= walks_; }
  std::string Text() const override;

 private:
  // The number of bins of the histogram. The times of a bin are 19 % longer than those of the
  // previous one.
  static constexpr size_t kBins = 160;
  static constexpr size_t kWalkers = 2;
  struct Times {
    std::array<std::atomic<uint64_t>, kBins> bins{};
    std::atomic<uint64_t> walks{0};
    std::atomic<uint64_t> frames{0};
    std::atomic<uint64_t> nanos{0};
  };

  static double Median(const Times& times);

  const HotspotLayout& vm_;
  const AsgctFunction asgct_;
  const uint64_t walks_;
  // All accesses are relaxed: counts that are read after the last handler has ended.
  std::atomic<uint64_t> begun_{0};
  Times times_[kWalkers];
  std::atomic<uint64_t> failed_[kWalkOutcomeCount] = {};  // failed walks of AsyncGetCallTrace
};

}  // namespace jprof::test
