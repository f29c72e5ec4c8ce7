// TracesTask: compares AsyncGetStackTrace with JVMTI GetStackTrace, in callbacks for sampled
// allocations, and with wrong arguments.
//
// The header of AsyncGetStackTrace is included by traces_task.cc alone.
#pragma once

#include <atomic>

#include "native/asgst_probe/probe_task.h"

namespace jprof::test {

class TracesTask : public ProbeTask {
 public:
  TracesTask(const char* library, uint64_t wanted);

  void OnAllocation(jvmtiEnv* jvmti, JNIEnv* jni) override;
  bool IsDone() const override { return compared_.load(std::memory_order_relaxed) >= wanted_; }
  std::string Text() override;

 private:
  void* const get_;         // AsyncGetStackTrace
  void* const without_id_;  // profiler_asgst_traces_without_id
  const uint64_t wanted_;
  int wrong_arguments_ = 0;
  // relaxed: counts that are read after the last callback
  std::atomic<uint64_t> compared_{0};
  std::atomic<uint64_t> same_{0};
  std::atomic<uint64_t> missing_{0};
  std::atomic<uint64_t> no_id_{0};
  std::atomic<uint64_t> different_{0};
};

}  // namespace jprof::test
