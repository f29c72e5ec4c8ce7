// LastStop: a thread that stops the recording at the end of a JVM whose collector ends before
// VMDeath: ZGC and Shenandoah (jdk-17+35 src/hotspot/share/runtime/java.cpp, before_exit:
// Universe::heap()->stop comes before post_vm_death). From then on whoever needs memory of a heap
// that is full waits for ever, and so would the JVM if its own thread did that.
//
// The thread is attached to the JVM long before, since attaching needs memory, too.
//
//            Prepare              attached              Run
//     kNone ─────────▶ kPreparing ──────────▶ kPrepared ─────▶ kAsked: the thread stops
//       ▲ ▲                │ refused              │
//       │ └────────────────┘                      │ Cancel      from another state:
//       └─────────────────────────────────────────┘             kAsked, and a new thread stops
//
// Prepare and Cancel: by the current action of RecordingControl. Run: once, at VMDeath, on any
// thread.
#pragma once

#include <jni.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

#include "base/result.h"
#include "os/stoppable_thread.h"
#include "sigsafe/base/types.h"

namespace jprof {

class LastStop {
 public:
  // `stop` waits for the action that is under way, and stops what is recorded then.
  explicit LastStop(std::function<void()> stop) : stop_(std::move(stop)) {}

  // The destructor waits for the threads. REQUIRES: no Run has returned false.

  // Starts the thread, and waits until it is attached; or is not, which the JVM may refuse. Answers
  // with its id. An Error after Run: a recording that begins now would be stopped by nobody.
  // REQUIRES: none is prepared.
  Result<Tid> Prepare(JavaVM* vm);

  // Ends the thread, but not a stop that it has begun.
  void Cancel();

  // Has a thread call `stop`, and waits for its end. False: `patience` is over, and the stop still
  // needs memory of the heap.
  bool Run(Nanos patience, const std::function<bool()>& needs_heap);

 private:
  static constexpr char kThreadName[] = "jprof-last-stop";

  enum class State : uint8_t { kNone, kPreparing, kPrepared, kAsked };

  void AwaitOrder(JavaVM* vm, const StopEvent& woken);
  void Stop();
  void Order();

  const std::function<void()> stop_;
  std::mutex mutex_;
  std::condition_variable changed_;   // of state_, from kPreparing on
  State state_ = State::kNone;        // guarded by mutex_
  StoppableThread thread_;            // guarded by mutex_; woken to look at the state
  StoppableThread late_thread_;       // by Run, where none was prepared
  std::atomic<bool> is_done_{false};  // release by the thread, acquire by Run
};

}  // namespace jprof
