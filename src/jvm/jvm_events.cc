#include "jvm/jvm_events.h"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "jvm/attach_pause.h"
#include "jvm/jvm_errors.h"
#include "sigsafe/base/check.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/os/forked_child.h"

namespace jprof {
namespace {

constexpr Nanos kPatience = 5 * kNanosPerSecond;

struct EventRow {
  jvmtiEvent event;
  void (*add_capability)(jvmtiCapabilities&);  // nullptr: no capability needed
};

constexpr EventRow kEvents[] = {
#define JPROF_JVM_EVENT(name, event, parameters) {JVMTI_EVENT_##event, nullptr},
#define JPROF_JVM_EVENT_BY_CAPABILITY(name, event, parameters, capability) \
  {JVMTI_EVENT_##event, [](jvmtiCapabilities& set) { set.capability = 1; }},
#include "jvm/jvm_events.def"
};

enum Row : size_t {
#define JPROF_JVM_EVENT(name, event, parameters) k##name,
#define JPROF_JVM_EVENT_BY_CAPABILITY(name, event, parameters, capability) k##name,
#include "jvm/jvm_events.def"
};

size_t RowOf(jvmtiEvent event) {
  return static_cast<size_t>(std::ranges::find(kEvents, event, &EventRow::event) - kEvents);
}

jvmtiCapabilities CapabilityOf(size_t row) {
  jvmtiCapabilities set{};
  if (kEvents[row].add_capability != nullptr) kEvents[row].add_capability(set);
  return set;
}

bool NeedSameCapability(size_t row, size_t other) {
  const jvmtiCapabilities one = CapabilityOf(row);
  const jvmtiCapabilities two = CapabilityOf(other);
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): only bit-fields; all other bits are zero
  return memcmp(&one, &two, sizeof one) == 0;
}

// Calls the listeners of the event in `row`, except in a child of fork. In the child, a listener's
// lock might be held by a thread that exists only in the parent; and the listener's files belong to
// the parent.
template <typename Notify>
void Dispatch(jvmtiEnv* jvmti, size_t row, Notify notify) {
  if (InForkedChild()) return;
  void* events = nullptr;
  jvmti->GetEnvironmentLocalStorage(&events);
  if (row == kVMDeath) static_cast<JvmEvents*>(events)->SetEnding();
  static_cast<JvmEvents*>(events)->NotifyAll(row, notify);
}

// The callback for the event in row kRow. Passes its arguments to the member function kOn of each
// listener.
template <size_t kRow, auto kOn, typename Callback>
struct CallbackOf;

template <size_t kRow, auto kOn, typename... Rest>
struct CallbackOf<kRow, kOn, void(JNICALL*)(jvmtiEnv*, Rest...)> {
  static void JNICALL Call(jvmtiEnv* jvmti, Rest... rest) {
    Dispatch(jvmti, kRow, [&](JvmEventListener& listener) { (listener.*kOn)(jvmti, rest...); });
  }
};

jvmtiEventCallbacks AllCallbacks() {
  jvmtiEventCallbacks callbacks{};
#define JPROF_JVM_EVENT(name, event, parameters) \
  callbacks.name = CallbackOf<k##name, &JvmEventListener::On##name, decltype(callbacks.name)>::Call;
#define JPROF_JVM_EVENT_BY_CAPABILITY(name, event, parameters, capability) \
  JPROF_JVM_EVENT(name, event, parameters)
#include "jvm/jvm_events.def"
  return callbacks;
}

}  // namespace

Result<JvmEvents*> JvmEvents::Create(JavaVM* vm) {
  const AttachPause pause(vm);
  jvmtiEnv* jvmti = nullptr;
  // Version 1.2 came with JDK 7, and has all functions that the agent needs from every JVM.
  const jint got = vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_1_2);
  // JNI_EDETACHED: the JVM is neither in the OnLoad phase nor in the live phase (jdk-17+35
  // src/hotspot/share/prims/jvmtiExport.cpp, get_jvmti_interface).
  if (got == JNI_EDETACHED) return Error(ErrorKind::kJvmIsStarting);
  if (got != JNI_OK) {
    return Error("this JVM offers no JVMTI environment: a HotSpot JVM is needed");
  }
  auto* events = new JvmEvents(vm, jvmti);
  const Status prepared = events->Prepare();
  if (prepared) return events;
  jvmti->DisposeEnvironment();
  delete events;
  return prepared.error();
}

// Adds the capabilities that belong to no event, and that the environment keeps: line numbers and
// file names, bytecodes and constant pools, and the owners of monitors. Two more capabilities are
// added only at the start of the JVM. The first is to read the monitor for which a thread waits;
// JVMTI does not grant it later. The second is to retransform classes: up to JDK 22, the first
// request for it in a running VM deoptimises all compiled code (JDK-8324241).
Status JvmEvents::Prepare() {
  const Status stored =
      CheckAccepted(jvmti_->SetEnvironmentLocalStorage(this), "SetEnvironmentLocalStorage");
  if (!stored) return stored;
  jvmtiCapabilities potential{};
  jvmti_->GetPotentialCapabilities(&potential);
  jvmtiCapabilities wanted{};
  wanted.can_get_line_numbers = potential.can_get_line_numbers;
  wanted.can_get_source_file_name = potential.can_get_source_file_name;
  wanted.can_get_bytecodes = potential.can_get_bytecodes;
  wanted.can_get_constant_pool = potential.can_get_constant_pool;
  wanted.can_get_monitor_info = potential.can_get_monitor_info;
  wanted.can_get_current_contended_monitor = potential.can_get_current_contended_monitor;
  jvmtiPhase phase = JVMTI_PHASE_LIVE;
  static_cast<void>(jvmti_->GetPhase(&phase));
  wanted.can_retransform_classes =
      phase == JVMTI_PHASE_ONLOAD ? potential.can_retransform_classes : 0;
  const Status added = CheckAccepted(jvmti_->AddCapabilities(&wanted), "AddCapabilities");
  if (!added) return added;
  const jvmtiEventCallbacks callbacks = AllCallbacks();
  return CheckAccepted(jvmti_->SetEventCallbacks(&callbacks, sizeof callbacks),
                       "SetEventCallbacks");
}

JNIEnv* JvmEvents::CurrentJni() const {
  void* jni = nullptr;
  return vm_->GetEnv(&jni, JNI_VERSION_1_6) == JNI_OK ? static_cast<JNIEnv*>(jni) : nullptr;
}

Result<JvmEvents::Subscription> JvmEvents::Subscribe(JvmEventListener& listener,
                                                     std::initializer_list<jvmtiEvent> events) {
  Subscription subscription;
  subscription.events_ = this;
  std::unique_lock lock(mutex_);
  for (const jvmtiEvent event : events) {
    const size_t row = RowOf(event);
    JPROF_CHECK(row < kRows);
    // The listener is stored before the event is enabled, so that the listener misses no event.
    const Result<ListenerSlot*> slot = Occupy(row, listener);
    Status added = slot ? Enable(row) : Status(slot.error());
    if (added) {
      subscription.slots_.emplace_back(row, slot.value());
      continue;
    }
    if (slot) slot.value()->listener.store(nullptr, std::memory_order_seq_cst);
    lock.unlock();
    return added.error();  // the subscription's destructor disables the earlier events
  }
  return subscription;
}

Status JvmEvents::GenerateEvents(jvmtiEvent event) {
  return CheckAccepted(jvmti_->GenerateEvents(event), "GenerateEvents");
}

Result<JvmEvents::ListenerSlot*> JvmEvents::Occupy(size_t row, JvmEventListener& listener) {
  for (ListenerSlot& slot : slots_[row]) {
    if (slot.listener.load(std::memory_order_relaxed) != nullptr) continue;
    slot.listener.store(&listener, std::memory_order_seq_cst);
    return &slot;
  }
  return Error("event " + std::to_string(kEvents[row].event) + " of JVMTI has too many listeners");
}

Status JvmEvents::Enable(size_t row) {
  if (users_[row]++ != 0) return {};
  const EventRow& event = kEvents[row];
  Status enabled;
  if (event.add_capability != nullptr) {
    const jvmtiCapabilities needed = CapabilityOf(row);
    enabled = CheckAccepted(jvmti_->AddCapabilities(&needed),
                            "the capability for event " + std::to_string(event.event));
  }
  if (enabled) {
    enabled = CheckAccepted(jvmti_->SetEventNotificationMode(JVMTI_ENABLE, event.event, nullptr),
                            "event " + std::to_string(event.event));
  }
  if (!enabled) Disable(row);
  return enabled;
}

// A dead VM refuses the JVMTI calls. This does no harm, because a dead VM sends no events.
void JvmEvents::Disable(size_t row) {
  JPROF_CHECK(users_[row] != 0);
  if (--users_[row] != 0) return;
  const EventRow& event = kEvents[row];
  static_cast<void>(jvmti_->SetEventNotificationMode(JVMTI_DISABLE, event.event, nullptr));
  if (event.add_capability == nullptr) return;
  for (size_t other = 0; other < kRows; ++other) {
    if (users_[other] != 0 && NeedSameCapability(row, other)) return;
  }
  const jvmtiCapabilities needed = CapabilityOf(row);
  static_cast<void>(jvmti_->RelinquishCapabilities(&needed));
}

JvmEvents::Subscription& JvmEvents::Subscription::operator=(Subscription&& other) noexcept {
  if (this == &other) return *this;
  Cancel();
  events_ = std::exchange(other.events_, nullptr);
  slots_ = std::exchange(other.slots_, {});
  return *this;
}

void JvmEvents::Subscription::Cancel() {
  if (events_ == nullptr) return;
  const std::lock_guard lock(events_->mutex_);
  for (const auto& [row, slot] : slots_) {
    events_->Disable(row);
    slot->listener.store(nullptr, std::memory_order_seq_cst);
  }
  events_ = nullptr;
}

bool JvmEvents::Subscription::CancelAndWait() {
  Cancel();
  const Nanos deadline_ns = MonotonicNanos() + kPatience;
  for (const auto& [row, slot] : slots_) {
    while (slot->calls.load(std::memory_order_seq_cst) != 0) {
      if (MonotonicNanos() > deadline_ns) return false;
      sched_yield();
    }
  }
  return true;
}

}  // namespace jprof
