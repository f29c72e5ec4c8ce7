// MonitorWaits: waits to enter a monitor, and for a notification, by events of the JVM.
//
// Start and Stop: on attached threads, one call at a time. Callbacks come on the threads that wait.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engines/lock/asked_monitors.h"
#include "engines/lock/class_initialization.h"
#include "engines/lock/ended_wait.h"
#include "engines/lock/locks_at_start.h"
#include "engines/lock/monitor_wait_times.h"
#include "engines/lock/open_waits.h"
#include "engines/lock/waiting_threads.h"
#include "jvm/jvm_events.h"

namespace jprof {

class MonitorWaits final : private JvmEventListener {
 public:
  // REQUIRES: all outlive the object.
  MonitorWaits(JvmEvents& events, SampledClasses& classes, Nanos interval_ns)
      : events_(events), classes_(classes), interval_ns_(interval_ns) {}

  Status Start(JNIEnv* jni, const ThreadIds& ids);

  // Watches for the begins of waits that have no event. Start has to come after it, Stop before
  // StopTimes; REQUIRES: the caller holds no lock.
  void StartTimes(const HotspotLayout& vm) { times_.Start(events_.vm(), vm); }
  void StopTimes() { times_.Stop(); }

  // The threads that waited before the start, for whatever, and the time of the start.
  bool WaitedAtStart(int64_t thread, WaitType type) const;
  Nanos start_ns() const { return start_ns_; }

  // No callback begins or ends a wait any more. False: one is still inside; the object must never
  // be destroyed. Also where Start has failed, and again.
  bool Stop();

  // Records what goes on. After Stop. `waiting`: the platform threads that wait now.
  void RecordUnfinished(JNIEnv* jni, const std::vector<WaitingThread>& waiting);

  // Gives the references of waits that have not ended back to the JVM. After Stop, which has
  // returned true: a callback uses them.
  void ForgetUnfinished(JNIEnv* jni);

  // What RecordUnfinished could not tell; once.
  std::vector<std::string> TakeNotes();

  uint64_t uncounted() const { return open_.without_place(); }

 private:
  using Waits = std::vector<std::pair<int64_t, WaitType>>;  // with the id of the thread
  struct Unfinished {
    OpenWait begun;
    SampledThread waiting;
    jthread thread;  // nullptr: not known
    // What was known of the lock at the start, if the wait began before it; nullptr: nothing.
    const LocksAtStart::Lock* at_start = nullptr;
    bool is_class_initialization = false;
  };

  void OnMonitorContendedEnter(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object) override;
  void OnMonitorContendedEntered(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object) override;
  void OnMonitorWait(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object,
                     jlong timeout) override;
  void OnMonitorWaited(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object,
                       jboolean timed_out) override;

  void Begin(JNIEnv* jni, jobject object, OpenWait wait);
  void End(JNIEnv* jni, jthread thread, jobject object, WaitType type, uint8_t flags);
  std::optional<OpenWait> FromTheStart(int64_t thread, bool is_virtual, WaitType type) const;
  // A wait of a platform thread since the start.
  OpenWait SinceTheStart(int64_t thread, WaitType type) const;
  std::vector<Unfinished> AllUnfinished(const std::vector<WaitingThread>& waiting) const;
  Unfinished OfInitialization(const WaitingThread& waiting) const;
  // Names the class and its initializer.
  void LookAtClass(JNIEnv* jni, const Unfinished& wait, const ClassInitializers& initializers,
                   EndedWait& ended) const;
  // What is known of the monitor of `wait` now. Returns a local reference to the object; nullptr:
  // not known.
  static jobject LookAtMonitor(JNIEnv* jni, Unfinished& wait, AskedMonitors& asked);
  // The wait with its weight; nullopt: it is no sample. `slot`: of the platform thread that has
  // waited; nullptr: it has none.
  std::optional<EndedWait> Counted(const OpenWait& wait, bool is_virtual, const ThreadSlot* slot,
                                   Nanos now_ns, uint8_t flags) const;

  JvmEvents& events_;
  SampledClasses& classes_;
  const Nanos interval_ns_;
  JvmEvents::Subscription subscription_;
  // release after Start has set what is below; acquire in callbacks.
  std::atomic<bool> is_on_{false};
  const ThreadIds* ids_ = nullptr;
  Nanos start_ns_ = 0;
  int64_t first_new_id_ = 0;     // of threads that began after the start
  Waits at_start_;               // read in callbacks once has_looked_
  LocksAtStart locks_at_start_;  // likewise
  std::atomic<bool> has_looked_{false};
  OpenWaits open_;
  MonitorWaitTimes times_;
  std::atomic<uint64_t> without_begin_{0};  // waits for classes, for TakeNotes; relaxed: a counter
  uint64_t not_asked_ = 0;                  // of the waits that have not ended; for TakeNotes
  bool has_all_initializers_ = true;        // likewise
};

}  // namespace jprof
