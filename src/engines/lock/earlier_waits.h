// EarlierWaits samples, for `wall`, the virtual threads that wait already when the recording
// starts. No probe has seen the start of these waits, and none will see their end.
//
//   Start   lists the virtual threads that have no carrier, and asks the JVM for their stacks
//   Check   looks which of them still wait; if a thread does not, its wait has ended in the middle
//           between this look and the last one
//
// Waits to enter a monitor are not followed. VirtualMonitorWaits counts them when they end.
//
// Start, Check, SampleWaiting and Clear are called on attached threads, one at a time, outside of
// callbacks of the JVM. TakeStart and EndUnseen are called in callbacks, on any thread.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "engines/lock/thread_ids.h"
#include "engines/lock/waited_wall_time.h"

namespace jprof {

// The Java class by which the waiting threads are found (java/EarlierWaits.java).
extern const std::span<const uint8_t> kEarlierWaitsBytes;

class EarlierWaits {
 public:
  // The largest number of threads that are followed.
  static constexpr jint kMost = 1 << 20;

  // True if an event of the JVM has reported the wait of the thread with the id.
  using IsKnown = std::function<bool(int64_t)>;
  // Lists the threads. Their time counts from WaitedTimeBegin() on: no probe and no event that was
  // installed by then has seen the start of their waits. If they cannot be listed, follows none.
  void Start(JNIEnv* jni, const ThreadIds& ids, const WaitSampler& sampler,
             const IsKnown& is_known);

  // Samples the waits that have ended, if the last look is long enough ago. `taker` is the slot
  // that takes the samples.
  void Check(JNIEnv* jni, ThreadSlot* taker);
  // Samples the waits that have ended, and those that go on, up to now.
  void SampleWaiting(JNIEnv* jni, ThreadSlot* taker);

  // Called when an event of the JVM shows that the wait of the thread has ended now. Returns the
  // time from which on no sample stands for the wait, and follows it no more. Returns nullopt if
  // the thread is not followed.
  std::optional<Nanos> TakeStart(int64_t thread);
  // Called when an event shows that the wait of the thread has ended some time ago.
  void EndUnseen(int64_t thread);

  void Clear(JNIEnv* jni);

 private:
  struct Wait {
    int64_t thread = 0;  // 0 if the wait is not followed any more
    uint32_t stack = 0;  // index in stacks_
    ThreadActivity activity = ThreadActivity::kParked;
    Nanos from_ns = 0;
    bool has_ended = false;
  };
  struct Kept {
    std::vector<jvmtiFrameInfo> frames;
    ThreadActivity activity;
  };

  // Fetches the stacks of the threads from `first` on, and follows those that wait. Returns the
  // number of threads that it has fetched.
  jint Follow(JNIEnv* jni, const ThreadIds& ids, const IsKnown& is_known, jint first, jint count);
  // Returns the index of the stack of `thread` in stacks_; nullopt if it is not that of a wait.
  // Removes the frames on top of the wait.
  std::optional<uint32_t> Keep(JNIEnv* jni, jthread thread, StackAtJvm& stack);
  void CheckNow(JNIEnv* jni, ThreadSlot* taker);
  void SampleUntil(JNIEnv* jni, size_t index, Nanos until_ns, ThreadSlot* taker);

  WaitSampler sampler_ = {};
  jclass class_ = nullptr;          // a global reference
  jmethodID check_ = nullptr;       // EarlierWaits.check
  jobjectArray threads_ = nullptr;  // a global reference; null for threads not followed any more
  jintArray ended_ = nullptr;       // a global reference; as long as threads_
  std::vector<Kept> stacks_;
  // During Start, the results of Keep by the frames of the stack.
  std::map<std::vector<std::pair<jmethodID, jlocation>>, std::optional<uint32_t>> numbers_;
  Nanos start_ns_ = 0;
  Nanos looked_ns_ = 0;  // time of the last look
  Nanos next_look_ns_ = 0;
  std::atomic<bool> follows_{false};  // relaxed: mutex_ orders the rest

  std::mutex mutex_;         // guards all below; the threads above are used by one caller at a time
  std::vector<Wait> waits_;  // as long as threads_
  std::unordered_map<int64_t, uint32_t> places_;  // indices in waits_, by the id of the thread
};

}  // namespace jprof
