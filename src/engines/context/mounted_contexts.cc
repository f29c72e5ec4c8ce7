#include "engines/context/mounted_contexts.h"

#include <atomic>
#include <cstdarg>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "engines/context/context_blocks.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/os/forked_child.h"
#include "sigsafe/sampling/context_block.h"

namespace jprof {
namespace {

constexpr char kMount[] = "com.sun.hotspot.events.VirtualThreadMount";
constexpr char kUnmount[] = "com.sun.hotspot.events.VirtualThreadUnmount";

// The field Thread.tid; nullptr before Begin. Begin stores the field with release before it turns
// the events on, and OnMount loads the field with acquire.
constinit std::atomic<jfieldID> g_thread_id{nullptr};

// Saves the address of the carrier's own published record in the member `current` of the carrier's
// block. Platform threads have no other use for this member. Does nothing if the carrier's slot
// points to another thread's record.
void KeepOwn() {
  ContextBlock* const own = OwnContextBlock();
  if (own == nullptr) return;
  const profiler_context* const shown = *OwnContextSlot();
  if (shown == nullptr || shown == &own->RecordAt(0)->published ||
      shown == &own->RecordAt(1)->published) {
    own->current.store(shown, std::memory_order_relaxed);
  }
}

// Makes the slot of the calling thread, a carrier, point to the virtual thread's published record.
void ShowContextOf(int64_t virtual_thread) {
  const ContextBlock* const block = TheVirtualContexts().Find(virtual_thread);
  *OwnContextSlot() = block == nullptr ? nullptr : block->current.load(std::memory_order_relaxed);
}

// Called on the carrier when the carrier has started to run the virtual thread. The parameters
// after `jvmti` are those of the event's description (jdk-21+35
// src/hotspot/share/prims/jvmtiExtensions.cpp).
void JNICALL OnMount(jvmtiEnv* jvmti, ...) {
  if (InForkedChild()) return;
  va_list parameters;
  va_start(parameters, jvmti);
  auto* const jni = va_arg(parameters, JNIEnv*);
  auto* const thread = va_arg(parameters, jthread);
  va_end(parameters);
  KeepOwn();
  ShowContextOf(jni->GetLongField(thread, g_thread_id.load(std::memory_order_acquire)));
}

// Called on the carrier when the virtual thread is unmounted, and when the virtual thread ends.
void JNICALL OnUnmount(jvmtiEnv*, ...) {
  if (InForkedChild()) return;
  const ContextBlock* const own = OwnContextBlock();
  *OwnContextSlot() = own == nullptr ? nullptr : own->current.load(std::memory_order_relaxed);
}

void Free(jvmtiEnv* jvmti, void* memory) { jvmti->Deallocate(static_cast<unsigned char*>(memory)); }

std::optional<jint> IndexOf(jvmtiEnv* jvmti, std::string_view event) {
  jint count = 0;
  JvmtiPtr<jvmtiExtensionEventInfo> events(jvmti);
  if (jvmti->GetExtensionEvents(&count, events.out()) != JVMTI_ERROR_NONE) return std::nullopt;
  std::optional<jint> index;
  for (jint i = 0; i < count; ++i) {
    const jvmtiExtensionEventInfo& info = events[i];
    if (event == info.id) index = info.extension_event_index;
    for (jint p = 0; p < info.param_count; ++p) Free(jvmti, info.params[p].name);
    Free(jvmti, info.params);
    Free(jvmti, info.id);
    Free(jvmti, info.short_description);
  }
  return index;
}

// Returns the capability can_support_virtual_threads, which jvmti.h before JDK 21 lacks: its bit
// follows the bit of can_generate_sampled_object_alloc_events.
jvmtiCapabilities VirtualThreadSupport() {
  jvmtiCapabilities capabilities{};
  capabilities.can_generate_sampled_object_alloc_events = 1;
  uint64_t bits = 0;
  static_assert(sizeof capabilities >= sizeof bits);
  std::memcpy(&bits, &capabilities, sizeof bits);
  bits <<= 1;
  std::memcpy(&capabilities, &bits, sizeof bits);
  return capabilities;
}

jfieldID FindThreadId(JNIEnv* jni) {
  const LocalFrame frame(jni, 1);
  const jclass thread = jni->FindClass("java/lang/Thread");
  const jfieldID id = thread == nullptr ? nullptr : jni->GetFieldID(thread, "tid", "J");
  jni->ExceptionClear();
  return id;
}

// Turns the event on with `callback`, or off if `callback` is nullptr. An extension event is on if
// a callback is set and the notification is enabled.
Status SetEvent(jvmtiEnv* jvmti, jint index, jvmtiExtensionEvent callback) {
  const Status set = CheckAccepted(jvmti->SetExtensionEventCallback(index, callback),
                                   "SetExtensionEventCallback of mounted virtual threads");
  if (!set || callback == nullptr) return set;
  return CheckAccepted(
      jvmti->SetEventNotificationMode(JVMTI_ENABLE, static_cast<jvmtiEvent>(index), nullptr),
      "the events of mounted virtual threads");
}

}  // namespace

Status MountedContexts::Begin(jvmtiEnv* jvmti, JNIEnv* jni) {
  static bool has_begun = false;  // one call at a time
  if (has_begun) return {};
  const std::optional<jint> mount = IndexOf(jvmti, kMount);
  const std::optional<jint> unmount = IndexOf(jvmti, kUnmount);
  if (!mount || !unmount) return Error("this JVM does not tell when virtual threads are mounted");
  const jfieldID id = FindThreadId(jni);
  if (id == nullptr) return Error("java.lang.Thread has no field 'tid' in this JVM");
  const jvmtiCapabilities needed = VirtualThreadSupport();
  Status done = CheckAccepted(jvmti->AddCapabilities(&needed), "can_support_virtual_threads");
  if (!done) return done;
  g_thread_id.store(id, std::memory_order_release);
  ContextBlocks::OfProcess().Export();
  done = SetEvent(jvmti, *unmount, OnUnmount);
  if (done) done = SetEvent(jvmti, *mount, OnMount);
  has_begun = done.ok();
  if (has_begun) return done;
  static_cast<void>(SetEvent(jvmti, *unmount, nullptr));
  static_cast<void>(jvmti->RelinquishCapabilities(&needed));
  return done;
}

void MountedContexts::Show(int64_t virtual_thread) {
  if (!InForkedChild()) ShowContextOf(virtual_thread);
}

}  // namespace jprof
