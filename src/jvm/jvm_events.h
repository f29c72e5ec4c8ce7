// JvmEvents owns a JVMTI environment of the agent, and calls the listeners to the events of this
// environment.
//
// There is one object per process, and up to JDK 20 a second one for engines/method/class_versions.
// Objects are leaked on purpose, because a callback might come late. An event is enabled, and the
// environment has the capability for it, only while at least one listener is subscribed to the
// event, so an idle agent costs nothing. Callbacks run on the JVM's threads; in a child of fork
// they call no listener.
//
// Subscribe and the end of a Subscription are thread-safe, outside signal handlers. A callback
// takes no lock, because some events are sent inside a safepoint.
#pragma once

#include <jvmti.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <utility>
#include <vector>

#include "base/result.h"

namespace jprof {

// A listener to events. Overrides the On... functions of the events to which it subscribes.
class JvmEventListener {
 public:
  virtual ~JvmEventListener() = default;
#define JPROF_JVM_EVENT(name, event, parameters) \
  virtual void On##name parameters {}
#define JPROF_JVM_EVENT_BY_CAPABILITY(name, event, parameters, capability) \
  JPROF_JVM_EVENT(name, event, parameters)
#include "jvm/jvm_events.def"
};

class JvmEvents {
  struct ListenerSlot;

 public:
  // A subscription of a listener. It ends with Cancel, CancelAndWait or the destructor.
  class Subscription {
   public:
    Subscription() = default;
    Subscription(Subscription&& other) noexcept { *this = std::move(other); }
    Subscription& operator=(Subscription&& other) noexcept;
    ~Subscription() { Cancel(); }

    // Ends the subscription: callbacks no longer call the listener. A call that started before
    // might still be running, so Cancel alone is only for a listener that lives as long as the
    // process.
    void Cancel();

    // Cancels, and waits until no call to the listener is running. Returns false if a call is still
    // running after 5 seconds (a debugger may have suspended its thread). The listener must then
    // never be destroyed.
    bool CancelAndWait();

   private:
    friend class JvmEvents;

    JvmEvents* events_ = nullptr;                          // nullptr: not subscribed
    std::vector<std::pair<size_t, ListenerSlot*>> slots_;  // row of an event, and its slot
  };

  // Creates an environment. Called in Agent_OnLoad, Agent_OnAttach or a function of the C API, or
  // later on a thread that is attached to the JVM.
  static Result<JvmEvents*> Create(JavaVM* vm);

  jvmtiEnv* jvmti() const { return jvmti_; }
  JavaVM* vm() const { return vm_; }
  // Returns the JNIEnv of the calling thread; nullptr if the thread is not attached or the VM is
  // dead.
  JNIEnv* CurrentJni() const;

  // Subscribes to all of `events` or to none: an Error names the event that the JVM refused.
  // REQUIRES: each event is in jvm_events.def.
  Result<Subscription> Subscribe(JvmEventListener& listener,
                                 std::initializer_list<jvmtiEvent> events);

  // True once VMDeath has been sent. From then on, the bytecode that probes have inserted into
  // classes need not be removed, because the JVM is ending. The garbage collector may have ended
  // already; a thread that allocates in a full heap then waits forever (recording/last_stop.h).
  bool is_ending() const { return is_ending_.load(std::memory_order_relaxed); }

  // Makes the JVM send, on the calling thread, the events for code that exists already. `event` is
  // DYNAMIC_CODE_GENERATED or COMPILED_METHOD_LOAD.
  Status GenerateEvents(jvmtiEvent event);

  // The maximum number of listeners that one event can have at the same time.
  static constexpr size_t kMaxListeners = 8;

  // Sets is_ending. The callback of VMDeath calls this before it calls the listeners.
  void SetEnding() { is_ending_.store(true, std::memory_order_relaxed); }

  // Calls notify(listener) for each listener to the event in `row`. Called by the callbacks.
  template <typename Notify>
  void NotifyAll(size_t row, Notify notify) {
    for (ListenerSlot& slot : slots_[row]) {
      if (slot.listener.load(std::memory_order_relaxed) == nullptr) continue;
      // The call is counted before the listener is read. CancelAndWait stores nullptr before it
      // reads the count. All four operations are seq_cst, so that either this call sees nullptr or
      // CancelAndWait sees the incremented count.
      slot.calls.fetch_add(1, std::memory_order_seq_cst);
      JvmEventListener* const listener = slot.listener.load(std::memory_order_seq_cst);
      if (listener != nullptr) notify(*listener);
      // release: everything that the listener did happens before CancelAndWait reads the count.
      slot.calls.fetch_sub(1, std::memory_order_release);
    }
  }

 private:
  struct ListenerSlot {
    std::atomic<JvmEventListener*> listener{nullptr};  // nullptr: free
    std::atomic<uint32_t> calls{0};                    // callbacks now using the slot
  };

  static constexpr size_t kRows = 0
// NOLINTBEGIN(bugprone-macro-parentheses): summands
#define JPROF_JVM_EVENT(name, event, parameters) +1
#define JPROF_JVM_EVENT_BY_CAPABILITY(name, event, parameters, capability) +1
// NOLINTEND(bugprone-macro-parentheses)
#include "jvm/jvm_events.def"
      ;

  JvmEvents(JavaVM* vm, jvmtiEnv* jvmti) : vm_(vm), jvmti_(jvmti) {}

  Status Prepare();
  Status Enable(size_t row);
  void Disable(size_t row);
  Result<ListenerSlot*> Occupy(size_t row, JvmEventListener& listener);

  JavaVM* const vm_;
  jvmtiEnv* const jvmti_;
  std::atomic<bool> is_ending_{false};  // relaxed: a reader might see the old value for a moment
  std::array<std::array<ListenerSlot, kMaxListeners>, kRows> slots_;
  std::mutex mutex_;                     // guards users_ and writes of slots_
  std::array<uint32_t, kRows> users_{};  // subscriptions to each event
};

}  // namespace jprof
