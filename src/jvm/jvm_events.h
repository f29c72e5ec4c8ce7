// JvmEvents: the agent's JVMTI environment, and the listeners of its events.
//
// One object per process, leaked on purpose: a callback may come late. An event is on while at
// least one listener is subscribed to it, and the environment has the capability that the event
// needs just as long; so an idle agent costs nothing. Callbacks run on the JVM's threads; in a
// child of fork nobody is told.
//
// Subscribe and the end of a Subscription: Thread-safe, outside handlers. Telling takes no lock,
// for some events come while the VM stands still.
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

// Overrides the events that it subscribes to.
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
  struct Place;

 public:
  // Ends with the object, if it has not been ended before.
  class Subscription {
   public:
    Subscription() = default;
    Subscription(Subscription&& other) noexcept { *this = std::move(other); }
    Subscription& operator=(Subscription&& other) noexcept;
    ~Subscription() { Cancel(); }

    // The listener is told of nothing more. A callback that has begun may still be inside it: fine
    // for a listener that lives as long as the process.
    void Cancel();

    // The same, and waits until no callback is inside the listener. False: one still is after
    // seconds (a debugger may have suspended its thread), and the listener must never be destroyed.
    bool CancelAndWait();

   private:
    friend class JvmEvents;

    JvmEvents* events_ = nullptr;                    // nullptr: not subscribed
    std::vector<std::pair<size_t, Place*>> places_;  // with the event's row in the table
  };

  // In Agent_OnLoad, Agent_OnAttach or from the C API.
  static Result<JvmEvents*> Create(JavaVM* vm);

  jvmtiEnv* jvmti() const { return jvmti_; }
  JavaVM* vm() const { return vm_; }

  // All of `events` or none: an Error says which the JVM refused. REQUIRES: each is in
  // jvm_events.def.
  Result<Subscription> Subscribe(JvmEventListener& listener,
                                 std::initializer_list<jvmtiEvent> events);

  // Sends events for the code that is there already: DYNAMIC_CODE_GENERATED, COMPILED_METHOD_LOAD.
  Status GenerateEvents(jvmtiEvent event);

  // Listeners of one event at the same time.
  static constexpr size_t kMaxListeners = 8;

  // Calls tell(listener) for each listener of the event in `row`. For the callbacks.
  template <typename Tell>
  void TellAll(size_t row, Tell tell) {
    for (Place& place : places_[row]) {
      if (place.listener.load(std::memory_order_relaxed) == nullptr) continue;
      // Counted before the listener is read; both seq_cst, as are the store of nullptr and the read
      // of the count in CancelAndWait: one of the two sees the other.
      place.calls.fetch_add(1, std::memory_order_seq_cst);
      JvmEventListener* const listener = place.listener.load(std::memory_order_seq_cst);
      if (listener != nullptr) tell(*listener);
      // release: all that the listener did happens before CancelAndWait returns.
      place.calls.fetch_sub(1, std::memory_order_release);
    }
  }

 private:
  struct Place {
    std::atomic<JvmEventListener*> listener{nullptr};
    std::atomic<uint32_t> calls{0};  // under way
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
  Status SwitchOn(size_t row);
  void SwitchOff(size_t row);
  Result<Place*> PlaceFor(size_t row, JvmEventListener& listener);

  JavaVM* const vm_;
  jvmtiEnv* const jvmti_;
  std::array<std::array<Place, kMaxListeners>, kRows> places_;
  std::mutex mutex_;                     // guards below; a listener is written under it
  std::array<uint32_t, kRows> users_{};  // subscriptions to each event
};

}  // namespace jprof
