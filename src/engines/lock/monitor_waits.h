// MonitorWaits records waits to enter a monitor and waits for a notification. Events of the JVM
// report these waits.
//
// Start and Stop are called on attached threads, one at a time. The JVM calls the event functions,
// such as OnMonitorWait, on the waiting threads.
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
#include "engines/lock/open_waits.h"
#include "engines/lock/sampled_wait.h"
#include "engines/lock/waiting_threads.h"
#include "jvm/jvm_events.h"

namespace jprof {

class MonitorWaits final : private JvmEventListener {
 public:
  // REQUIRES: `events` and `classes` outlive the object.
  MonitorWaits(JvmEvents& events, SampledClasses& classes, Nanos interval_ns)
      : events_(events), classes_(classes), interval_ns_(interval_ns) {}

  Status Start(JNIEnv* jni, const ThreadIds& ids);

  // Start and stop times_, which records the start of each wait for which the JVM sends an event
  // only at the end. StartTimes is called before Start, and StopTimes after Stop. REQUIRES: the
  // caller holds no lock.
  void StartTimes(const HotspotLayout& vm) { times_.Start(events_.vm(), vm); }
  void StopTimes() { times_.Stop(); }

  // True if the thread with the id `thread` was in a wait of the type `type` when Start was called.
  bool WaitedAtStart(int64_t thread, WaitType type) const;
  Nanos start_ns() const { return start_ns_; }

  // Stops the events. Returns false if a callback is still running; the object must then never be
  // destroyed. May be called after a failed Start, and repeatedly.
  bool Stop();

  // Records the waits that go on. Called after Stop. `waiting` has the platform threads that wait
  // now. `taker` is the slot that takes the samples; nullptr if there is no such slot.
  void RecordUnfinished(JNIEnv* jni, const std::vector<WaitingThread>& waiting, ThreadSlot* taker);

  // Deletes the references to the objects of waits that go on. REQUIRES: Stop has returned true,
  // because callbacks use the references.
  void ForgetUnfinished(JNIEnv* jni);

  // Returns warnings about waits that were recorded incompletely or not counted, one line each, and
  // forgets them.
  std::vector<std::string> TakeNotes();

  // Returns the waits that have begun and not ended.
  OpenWaits& open() { return open_; }

  // Returns the number of waits that were not counted because too many threads waited at a time.
  uint64_t uncounted() const { return open_.without_place(); }

 private:
  using Waits = std::vector<std::pair<int64_t, WaitType>>;  // id of a thread, type of its wait
  // A wait that goes on when the recording stops.
  struct Unfinished {
    OpenWait begun;
    SampledThread waiting;
    jthread thread;  // nullptr for a virtual thread
    // The lock as Start has found it, if the wait began before Start; nullptr if that is unknown.
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
  // Called for a thread that has just ended a wait whose start was not recorded. If that wait began
  // before Start, returns the wait, counted from Start on. Else returns nullopt.
  std::optional<OpenWait> WaitBegunBeforeStart(int64_t thread, bool is_virtual,
                                               WaitType type) const;
  // Returns the wait of a platform thread that was already waiting at Start. The wait counts from
  // Start on.
  OpenWait WaitSinceStart(int64_t thread, WaitType type) const;
  std::vector<Unfinished> FindUnfinished(const std::vector<WaitingThread>& waiting) const;
  // Returns the wait of a thread that waits for the initialization of a class.
  Unfinished UnfinishedInitialization(const WaitingThread& waiting) const;
  // Sets two members of `sampled`: as lock_class the class for whose initialization the thread
  // waits, and as owner the thread that initializes this class.
  void FindClassAndInitializer(JNIEnv* jni, const Unfinished& wait,
                               const ClassInitializers& initializers, SampledWait& sampled) const;
  // Updates the owner in `wait`. Returns a local reference to the object of the monitor; nullptr if
  // the object is unknown.
  static jobject FindObjectAndOwner(JNIEnv* jni, Unfinished& wait, AskedMonitors& asked);
  // Counts the wait. Returns it with its weight, or nullopt if no sample is to be taken. For a
  // platform thread, `slot` is the slot of the waiting thread; nullptr if the thread has none. For
  // a virtual thread, `slot` is not used.
  std::optional<SampledWait> CountWait(const OpenWait& wait, bool is_virtual,
                                       const ThreadSlot* slot, Nanos now_ns, uint8_t flags) const;

  JvmEvents& events_;
  SampledClasses& classes_;
  const Nanos interval_ns_;
  JvmEvents::Subscription subscription_;
  // Publishes ids_, start_ns_ and first_new_id_ to callbacks: stored with release in Start, loaded
  // with acquire in callbacks.
  std::atomic<bool> is_on_{false};
  const ThreadIds* ids_ = nullptr;
  Nanos start_ns_ = 0;
  int64_t first_new_id_ = 0;     // lowest id of the threads that are created after Start
  Waits at_start_;               // waits that were going on at Start; published by has_looked_
  LocksAtStart locks_at_start_;  // published by has_looked_
  // Stored with release once at_start_ and locks_at_start_ are complete; loaded with acquire before
  // callbacks read these two members.
  std::atomic<bool> has_looked_{false};
  OpenWaits open_;
  MonitorWaitTimes times_;
  // The number of waits for the initialization of a class that are not counted, because the start
  // of the wait is unknown. relaxed: a plain counter.
  std::atomic<uint64_t> without_begin_{0};
  uint64_t not_asked_ = 0;            // AskedMonitors::left_out, for TakeNotes
  bool has_all_initializers_ = true;  // result of ClassInitializers::FindAll, for TakeNotes
};

}  // namespace jprof
