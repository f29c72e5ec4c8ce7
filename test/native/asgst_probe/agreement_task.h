// AgreementTask: compares the frames of an iterator with JVMTI GetStackTrace, in callbacks for
// sampled allocations: methods, bytecode indexes, lines and jmethodIDs.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "native/asgst_probe/api.h"
#include "native/asgst_probe/probe_task.h"

namespace jprof::test {

class AgreementTask : public ProbeTask {
 public:
  AgreementTask(const Api& api, uint64_t wanted) : api_(api), wanted_(wanted) {}

  void OnAllocation(jvmtiEnv* jvmti, JNIEnv* jni) override;
  bool IsDone() const override { return compared_.load(std::memory_order_relaxed) >= wanted_; }
  std::string Text() override;

 private:
  struct Walk {
    AgreementTask* task;
    std::vector<ASGST_Frame> frames;
    std::vector<ASGST_Frame> again;  // the frames after a rewind
    int end;
    int end_again;
  };
  static void OnWalk(ASGST_Iterator* iterator, void* walk);

  bool IsSame(jvmtiEnv* jvmti, JNIEnv* jni, const jvmtiFrameInfo& expected,
              const ASGST_Frame& frame);
  bool AgreesOnMethod(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID expected, ASGST_Method method);
  void Note(const std::vector<jvmtiFrameInfo>& expected, const Walk& walk);

  const Api& api_;
  const uint64_t wanted_;
  // relaxed: counts that are read after the last callback
  std::atomic<uint64_t> compared_{0};
  std::atomic<uint64_t> same_{0};
  std::atomic<uint64_t> virtual_{0};
  std::atomic<uint64_t> missing_{0};  // stacks that end with ASGST_MISSING_FRAMES
  std::atomic<uint64_t> different_{0};
  std::atomic<uint64_t> not_rewound_{0};
  std::atomic<uint64_t> unordered_{0};  // stacks whose stack pointers do not ascend
  std::atomic<uint64_t> levels_[5]{};   // frames with bytecodes, by their level
  std::mutex mutex_;                    // guards all below
  std::map<std::pair<jmethodID, ASGST_Method>, bool> pairs_;
  std::string first_difference_;
};

}  // namespace jprof::test
