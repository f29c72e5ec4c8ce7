// WaitingVirtualThreads holds the virtual threads that wait for monitors, for samples of elapsed
// time (waited_wall_time.h). VirtualMonitorWaits fills it from events of the JVM, and takes the
// samples. Parks and sleeps are held by java/ParkProbes.java.
#pragma once

#include <jvmti.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engines/lock/earlier_waits.h"
#include "engines/lock/thread_ids.h"
#include "engines/lock/waited_wall_time.h"
#include "jvm/jvm_events.h"

namespace jprof {

// A table of waits, keyed by the id of the thread. When the Object.wait of a thread ends, the
// thread sometimes has to wait again, to enter the monitor, and the JVM announces only the end of
// this second wait. So the table remembers when the Object.wait has ended.
//
// Thread-safe. Each call holds a mutex of a part of the table, also while it makes or deletes the
// weak reference to the thread.
class WaitingVirtualThreads {
 public:
  // The largest number of entries. Further waits are not followed (without_place).
  static constexpr size_t kMost = size_t{1} << 20;

  struct Waiting {
    WaitedTime time;      // to_ns is not used
    uint64_t number = 0;  // differs between all waits of the process
  };

  // Begins a wait of `thread`. `windows_ns` is as in WaitedTime.
  void Begin(JNIEnv* jni, jthread thread, int64_t id, ThreadActivity activity, Nanos now_ns,
             Nanos windows_ns);
  // Ends the wait with the activity. Returns it; nullopt if the table has no such wait. If
  // `activity` is kBlockedOnMonitor, the wait can be one whose start was only remembered.
  std::optional<WaitedTime> End(JNIEnv* jni, int64_t id, ThreadActivity activity, Nanos now_ns,
                                Nanos windows_ns);

  // True if the table has a wait of the thread.
  bool Has(int64_t id);

  // Returns all waits that have begun and not ended. Forgets remembered times from before
  // `forget_before_ns`.
  std::vector<Waiting> All(Nanos forget_before_ns);
  // Returns a local reference to the thread of `waiting`; nullptr if that wait has ended.
  jthread ThreadOf(JNIEnv* jni, const Waiting& waiting);
  // Makes `now_ns` the start of the wait, because samples stand for the time before. Returns false
  // if the wait has ended.
  bool Advance(const Waiting& waiting, Nanos now_ns);

  void Clear(JNIEnv* jni);

  uint64_t without_place() const { return without_place_.load(std::memory_order_relaxed); }
  // True if a remembered time has been forgotten.
  bool has_forgotten() const { return has_forgotten_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    Waiting waiting;
    jweak thread = nullptr;  // nullptr if the entry only remembers when an Object.wait has ended
  };
  struct alignas(64) Part {
    std::mutex mutex;  // guards the member below
    std::unordered_map<int64_t, Entry> entries;
  };

  Part& PartOf(int64_t id) { return parts_[static_cast<uint64_t>(id) % parts_.size()]; }

  std::array<Part, 64> parts_;
  std::atomic<uint64_t> next_number_{1};    // relaxed: a plain counter
  std::atomic<uint64_t> without_place_{0};  // relaxed: a plain counter
  std::atomic<bool> has_forgotten_{false};  // relaxed: publishes no other value
};

// VirtualMonitorWaits samples the waits of virtual threads to enter a monitor and in Object.wait.
//
// Start, Stop and SampleWaiting are called on attached threads, one at a time. The JVM calls the
// event functions on the waiting threads.
class VirtualMonitorWaits final : private JvmEventListener {
 public:
  // REQUIRES: `events` and `earlier` outlive the object.
  VirtualMonitorWaits(JvmEvents& events, EarlierWaits& earlier)
      : events_(events), earlier_(earlier) {}

  Status Start(JNIEnv* jni, const ThreadIds& ids, const WaitSampler& sampler);
  // Samples the time of the waits that go on, up to now. `taker` is the slot that takes the
  // samples.
  void SampleWaiting(JNIEnv* jni, ThreadSlot* taker);
  // Stops the events. Returns false if a callback is still running; the object must then never be
  // destroyed. May be called after a failed Start, and repeatedly.
  bool Stop(JNIEnv* jni);

  // True if an event has reported the wait of the thread with the id. Callable on any thread.
  bool Has(int64_t id) { return waiting_.Has(id); }

  // Returns the number of waits that were not followed because too many threads waited at a time.
  uint64_t unfollowed() const { return waiting_.without_place(); }

 private:
  void OnMonitorContendedEnter(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object) override;
  void OnMonitorContendedEntered(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object) override;
  void OnMonitorWait(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object,
                     jlong timeout) override;
  void OnMonitorWaited(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object,
                       jboolean timed_out) override;

  void Begin(JNIEnv* jni, jthread thread, ThreadActivity activity);
  void End(JNIEnv* jni, jthread thread, jobject object, ThreadActivity activity);

  JvmEvents& events_;
  EarlierWaits& earlier_;
  JvmEvents::Subscription subscription_;
  // Publishes the next four members to callbacks: stored with release in Start, loaded with acquire
  // in callbacks.
  std::atomic<bool> is_on_{false};
  const ThreadIds* ids_ = nullptr;
  WaitSampler sampler_ = {};
  Nanos start_ns_ = 0;
  int64_t first_new_id_ = 0;  // lowest id of the threads that are created after Start
  Nanos last_sampled_ns_ = 0;
  WaitingVirtualThreads waiting_;
};

}  // namespace jprof
