// LastStop: a thread that stops the recording at the end of a JVM whose collector ends before
// VMDeath, as ZGC and Shenandoah do (jdk-17+35 src/hotspot/share/runtime/java.cpp, before_exit:
// Universe::heap()->stop comes before post_vm_death). After the end of the collector, a thread that
// needs memory of a full heap waits forever. If the thread that ends the JVM stopped the recording,
// it might wait in this way, and the JVM would never end.
//
// The thread is attached to the JVM at the start of the recording, because attaching a thread needs
// memory of the heap, too.
//
//            Prepare              attached              Run
//     kNone ─────────▶ kPreparing ──────────▶ kPrepared ─────▶ kAsked: the thread calls `stop`
//       ▲ ▲                │ refused              │
//       │ └────────────────┘                      │ Cancel
//       └─────────────────────────────────────────┘
//
// Run also leads from kNone and kPreparing to kAsked. In these cases, it starts a new thread, which
// calls `stop`.
//
// Prepare and Cancel are called by the current action of RecordingControl; Run is called once, at
// VMDeath, on any thread. The destructor waits for the threads. REQUIRES for the destructor: Run
// has not returned false.
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
  // `stop` waits for the end of the action in progress. It then stops the recording, if there is
  // one.
  explicit LastStop(std::function<void()> stop) : stop_(std::move(stop)) {}

  // Starts the thread, and waits until it is attached or the JVM has refused to attach it. Returns
  // the id of the thread. Fails after Run, because nothing would stop a recording that starts after
  // Run. REQUIRES: no thread is prepared.
  Result<Tid> Prepare(JavaVM* vm);

  // Ends the thread, unless it is already stopping the recording.
  void Cancel();

  // Makes a thread call `stop`, and waits for the end of the call. Returns false if the call has
  // not ended after `patience` and still needs memory of the heap.
  bool Run(Nanos patience, const std::function<bool()>& needs_heap);

 private:
  static constexpr char kThreadName[] = "jprof-last-stop";

  enum class State : uint8_t { kNone, kPreparing, kPrepared, kAsked };

  void AwaitOrder(JavaVM* vm, const StopEvent& woken);
  void Stop();
  void Order();

  const std::function<void()> stop_;
  std::mutex mutex_;
  std::condition_variable changed_;   // signals that state_ is no longer kPreparing
  State state_ = State::kNone;        // guarded by mutex_
  StoppableThread thread_;            // guarded by mutex_; its StopEvent makes it check state_
  StoppableThread late_thread_;       // started by Run if no thread was prepared
  std::atomic<bool> is_done_{false};  // true: `stop` has ended; release, acquire
};

}  // namespace jprof
