// FuzzTask: walks of interrupted threads with altered registers and stacks, by every walker of
// ours, counted by their ends. A seed determines what is altered; where signals strike it does not.
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
  // nullptr: there is no memory for it.
  static std::unique_ptr<FuzzTask> Make(const HotspotLayout& vm, uint64_t seed, uint64_t walks);

  void Run(const void* jni_env, const ucontext_t* context, const WalkBuffer& buffer) override;
  bool IsDone() const override { return begun_.load(std::memory_order_relaxed) >= walks_; }
  std::string Text() const override;

 private:
  static constexpr uint64_t kBatch = 64;  // walks at one interruption
  static constexpr size_t kWalkers = 5;   // of the JVM's stacks: four modes; native code only
  static constexpr size_t kEnds = 2 + kWalkOutcomeCount;  // root, full, broken for a reason
  static constexpr size_t kTimes = 40;                    // powers of two of a nanosecond

  FuzzTask(const HotspotLayout& vm, uint64_t seed, uint64_t walks, uint8_t* scratch)
      : vm_(vm), seed_(seed), walks_(walks), scratch_(scratch) {}

  void WalkOnce(uint64_t index, AlteredThread& thread, WalkBuffer buffer);
  size_t EndOf(size_t walker, const AlteredThread& thread, const WalkBuffer& buffer);

  const HotspotLayout& vm_;
  const uint64_t seed_;
  const uint64_t walks_;
  uint8_t* const scratch_;
  // relaxed, all of them: counts, read when the handlers are over.
  std::atomic<uint64_t> begun_{0};
  std::atomic<uint64_t> wrong_{0};    // walks whose frames are no frames
  std::atomic<uint64_t> slowest_{0};  // ns of CPU time
  std::atomic<uint64_t> by_walker_[kWalkers] = {};
  std::atomic<uint64_t> ends_[kAlterations][kEnds] = {};
  std::atomic<uint64_t> times_[kTimes] = {};
};

// The number of the walk that the calling thread is in, for the message of a crash.
uint64_t WalkUnderWay();

}  // namespace jprof::test
