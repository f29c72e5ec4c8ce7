// MonitorWaits: records waits to enter a monitor, and for a notification, by events of the JVM.
//
// Start and Stop are called on attached threads, one at a time. Callbacks come on the threads that
// wait.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engines/lock/class_initialization.h"
#include "engines/lock/ended_wait.h"
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

  // Watches the begins of waits that have no event. Called before Start, and StopTimes after Stop.
  // REQUIRES: the caller holds no lock.
  void StartTimes(const HotspotLayout& vm) { times_.Start(events_.vm(), vm); }
  void StopTimes() { times_.Stop(); }

  // True if the thread was in a wait of the type at the start.
  bool WaitedAtStart(int64_t thread, WaitType type) const;
  Nanos start_ns() const { return start_ns_; }

  // Ends the events. Returns false if a callback is still inside: then the object must never be
  // destroyed. May be called after a failed Start, and repeatedly.
  bool Stop();

  // Records the waits that go on. Called after Stop. `waiting`: the platform threads that wait now.
  void RecordUnfinished(JNIEnv* jni, const std::vector<WaitingThread>& waiting);

  // Deletes the references of waits that have not ended. REQUIRES: Stop has returned true, because
  // callbacks use the references.
  void ForgetUnfinished(JNIEnv* jni);

  // Returns notes on incomplete records and counts since the last call, a line each.
  std::vector<std::string> TakeNotes();

  uint64_t uncounted() const { return open_.without_place(); }

 private:
  using Waits = std::vector<std::pair<int64_t, WaitType>>;  // ids of threads, types of waits
  struct Unfinished {
    OpenWait begun;
    SampledThread waiting;
    jthread thread;  // nullptr: not known
    // The lock as known at the start, if the wait began before it; nullptr: not known.
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
  // Returns the wait of a platform thread that has waited since before the start.
  OpenWait SinceTheStart(int64_t thread, WaitType type) const;
  std::vector<Unfinished> FindUnfinished(const std::vector<WaitingThread>& waiting) const;
  Unfinished OfInitialization(const WaitingThread& waiting) const;
  // Sets the class that the thread waits for, and the thread that initializes it, in `ended`.
  void LookAtClass(JNIEnv* jni, const Unfinished& wait, const ClassInitializers& initializers,
                   EndedWait& ended) const;
  // Updates the owner of the monitor of `wait`. Returns a local reference to the object; nullptr:
  // not known.
  static jobject LookAtMonitor(JNIEnv* jni, Unfinished& wait, AskedMonitors& asked);
  // Counts the wait, and returns it with its weight; nullopt: it is not a sample. `slot`: the slot
  // of the platform thread that has waited; nullptr: it has none.
  std::optional<EndedWait> Counted(const OpenWait& wait, bool is_virtual, const ThreadSlot* slot,
                                   Nanos now_ns, uint8_t flags) const;

  JvmEvents& events_;
  SampledClasses& classes_;
  const Nanos interval_ns_;
  JvmEvents::Subscription subscription_;
  // Stored with release after Start has set the members down to first_new_id_; loaded with acquire
  // in callbacks.
  std::atomic<bool> is_on_{false};
  const ThreadIds* ids_ = nullptr;
  Nanos start_ns_ = 0;
  int64_t first_new_id_ = 0;     // least id of threads that were created after the start
  Waits at_start_;               // read in callbacks once has_looked_ is set
  LocksAtStart locks_at_start_;  // read in callbacks once has_looked_ is set
  std::atomic<bool> has_looked_{false};
  OpenWaits open_;
  MonitorWaitTimes times_;
  std::atomic<uint64_t> without_begin_{0};  // uncounted waits for classes; relaxed: a counter
  uint64_t not_asked_ = 0;                  // AskedMonitors::left_out, for TakeNotes
  bool has_all_initializers_ = true;        // result of ClassInitializers::FindAll, for TakeNotes
};

}  // namespace jprof
