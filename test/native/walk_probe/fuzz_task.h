// FuzzTask: lets each of our walkers walk interrupted threads with altered registers and stacks,
// and counts how the walks end. The seed determines the alterations, but not where signals
// interrupt the threads.
#pragma once

#include <atomic>
#include <memory>

#include "native/walk_probe/altered_thread.h"
#include "native/walk_probe/walk_task.h"
#include "os/pages.h"
#include "sigsafe/stack/vm_walker.h"
#include "sigsafe/stack/walk_context.h"

namespace jprof::test {

class FuzzTask : public WalkTask {
 public:
  // Returns nullptr if there is not enough memory for the task.
  static std::unique_ptr<FuzzTask> Make(const HotspotLayout& vm, uint64_t seed, uint64_t walks);

  void Run(const void* jni_env, const ucontext_t* context, const WalkBuffer& buffer) override;
  bool IsDone() const override { return begun_.load(std::memory_order_relaxed) >= walks_; }
  std::string Text() const override;

 private:
  static constexpr uint64_t kBatch = 64;  // walks per interruption
  static constexpr size_t kWalkers = 5;  // four modes for the JVM's stacks, and one for native code
  static constexpr size_t kEnds = 2 + kWalkOutcomeCount;  // at the root, buffer full, each outcome
  static constexpr size_t kTimes = 40;                    // powers of two of a nanosecond

  FuzzTask(const HotspotLayout& vm, uint64_t seed, uint64_t walks, uint8_t* scratch)
      : vm_(vm), seed_(seed), walks_(walks), scratch_(scratch) {}

  void WalkOnce(uint64_t index, AlteredThread& thread, WalkBuffer buffer);
  size_t EndOf(size_t walker, const AlteredThread& thread, const WalkBuffer& buffer);

  const HotspotLayout& vm_;
  const uint64_t seed_;
  const uint64_t walks_;
  uint8_t* const scratch_;
  // All accesses are relaxed: counts that are read after the last handler has ended.
  std::atomic<uint64_t> begun_{0};
  std::atomic<uint64_t> wrong_{0};    // walks with invalid frames
  std::atomic<uint64_t> slowest_{0};  // ns of CPU time
  std::atomic<uint64_t> by_walker_[kWalkers] = {};
  std::atomic<uint64_t> ends_[kAlterations][kEnds] = {};
  std::atomic<uint64_t> times_[kTimes] = {};
};

// Returns the number of the walk that the calling thread is making, to print it if the process
// crashes.
uint64_t WalkUnderWay();

}  // namespace jprof::test
