#include "session/jvm_events.h"

#include <optional>
#include <string>

#include "base/agent_contract.h"
#include "jvm/attach_pause.h"
#include "sigsafe/os/forked_child.h"

namespace jprof {
namespace {

struct SessionEvent {
  jvmtiEvent event;
  std::optional<PrimingPath> path;  // that it is for; nothing: it is always on
};

constexpr SessionEvent kSessionEvents[] = {
    {JVMTI_EVENT_THREAD_START, PrimingPath::kJvmti},
    {JVMTI_EVENT_THREAD_END, PrimingPath::kJvmti},
    {JVMTI_EVENT_NATIVE_METHOD_BIND, PrimingPath::kHook},
    {JVMTI_EVENT_CLASS_PREPARE, std::nullopt},
    {JVMTI_EVENT_CLASS_LOAD, std::nullopt},
    {JVMTI_EVENT_COMPILED_METHOD_LOAD, std::nullopt},
    {JVMTI_EVENT_DYNAMIC_CODE_GENERATED, std::nullopt},
    {JVMTI_EVENT_GARBAGE_COLLECTION_START, std::nullopt},
    {JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, std::nullopt},
};

// Calls tell(listener); in a child of fork nobody, for a lock of the listener's may be held by a
// thread that is not there, and its files are the parent's.
template <typename Tell>
void TellListener(jvmtiEnv* jvmti, Tell tell) {
  if (InForkedChild()) return;
  void* listener = nullptr;
  jvmti->GetEnvironmentLocalStorage(&listener);
  tell(*static_cast<JvmEvents::Listener*>(listener));
}

void JNICALL OnVmInit(jvmtiEnv* jvmti, JNIEnv* jni, jthread) {
  TellListener(jvmti, [&](auto& listener) { listener.OnVmInit(jni); });
}

void JNICALL OnVmDeath(jvmtiEnv* jvmti, JNIEnv*) {
  TellListener(jvmti, [&](auto& listener) { listener.OnVmDeath(); });
}

void JNICALL OnThreadStart(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) {
  TellListener(jvmti, [&](auto& listener) { listener.OnThreadStart(jni, thread); });
}

void JNICALL OnThreadEnd(jvmtiEnv* jvmti, JNIEnv*, jthread) {
  TellListener(jvmti, [&](auto& listener) { listener.OnThreadEnd(); });
}

void JNICALL OnNativeMethodBind(jvmtiEnv* jvmti, JNIEnv*, jthread, jmethodID, void*, void**) {
  TellListener(jvmti, [&](auto& listener) { listener.OnNativeMethodBind(); });
}

void JNICALL OnClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jclass prepared) {
  TellListener(jvmti, [&](auto& listener) { listener.OnClassPrepare(jni, prepared); });
}

void JNICALL OnGarbageCollectionStart(jvmtiEnv* jvmti) {
  TellListener(jvmti, [&](auto& listener) { listener.OnGarbageCollectionStart(); });
}

void JNICALL OnGarbageCollectionFinish(jvmtiEnv* jvmti) {
  TellListener(jvmti, [&](auto& listener) { listener.OnGarbageCollectionFinish(); });
}

void JNICALL OnCodeGenerated(jvmtiEnv* jvmti, const char* name, const void* start, jint size) {
  TellListener(jvmti, [&](auto& listener) { listener.OnCodeGenerated(name, start, size); });
}

// Wanted for their side effects alone, see the header.
void JNICALL OnClassLoad(jvmtiEnv*, JNIEnv*, jthread, jclass) {}
void JNICALL OnCompiledMethodLoad(jvmtiEnv*, jmethodID, jint, const void*, jint,
                                  const jvmtiAddrLocationMap*, const void*) {}

Status Check(jvmtiError error, const char* call) {
  if (error == JVMTI_ERROR_NONE) return {};
  return Error("the JVM refused " + std::string(call) + " (JVMTI error " + std::to_string(error) +
               ")");
}

Status AddCapabilities(jvmtiEnv* jvmti) {
  jvmtiCapabilities potential{};
  jvmti->GetPotentialCapabilities(&potential);
  jvmtiCapabilities wanted{};
  wanted.can_get_line_numbers = potential.can_get_line_numbers;
  wanted.can_generate_compiled_method_load_events =
      potential.can_generate_compiled_method_load_events;
  wanted.can_generate_garbage_collection_events = potential.can_generate_garbage_collection_events;
  wanted.can_generate_native_method_bind_events = potential.can_generate_native_method_bind_events;
  return Check(jvmti->AddCapabilities(&wanted), "AddCapabilities");
}

Status SetCallbacks(jvmtiEnv* jvmti) {
  jvmtiEventCallbacks callbacks{};
  callbacks.VMInit = OnVmInit;
  callbacks.VMDeath = OnVmDeath;
  callbacks.ThreadStart = OnThreadStart;
  callbacks.ThreadEnd = OnThreadEnd;
  callbacks.NativeMethodBind = OnNativeMethodBind;
  callbacks.ClassPrepare = OnClassPrepare;
  callbacks.ClassLoad = OnClassLoad;
  callbacks.GarbageCollectionStart = OnGarbageCollectionStart;
  callbacks.GarbageCollectionFinish = OnGarbageCollectionFinish;
  callbacks.DynamicCodeGenerated = OnCodeGenerated;
  callbacks.CompiledMethodLoad = OnCompiledMethodLoad;
  return Check(jvmti->SetEventCallbacks(&callbacks, sizeof callbacks), "SetEventCallbacks");
}

Status SetMode(jvmtiEnv* jvmti, jvmtiEvent event, jvmtiEventMode mode) {
  return Check(jvmti->SetEventNotificationMode(mode, event, nullptr), "SetEventNotificationMode");
}

}  // namespace

Result<jvmtiEnv*> JvmEvents::CreateEnvironment(JavaVM* vm, Listener* listener) {
  const AttachPause pause(vm);
  jvmtiEnv* jvmti = nullptr;
  // 1.2 is JDK 7's: everything that is used here has been there since.
  const jint got = vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_1_2);
  // Neither in the OnLoad phase nor in the live one (jdk-17+35
  // src/hotspot/share/prims/jvmtiExport.cpp, get_jvmti_interface).
  if (got == JNI_EDETACHED) return Error(kJvmIsStarting);
  if (got != JNI_OK) {
    return Error("this JVM offers no JVMTI environment: a HotSpot JVM is needed");
  }
  Status status = Check(jvmti->SetEnvironmentLocalStorage(listener), "SetEnvironmentLocalStorage");
  if (status) status = AddCapabilities(jvmti);
  if (status) status = SetCallbacks(jvmti);
  if (status) status = SetMode(jvmti, JVMTI_EVENT_VM_INIT, JVMTI_ENABLE);
  if (status) status = SetMode(jvmti, JVMTI_EVENT_VM_DEATH, JVMTI_ENABLE);
  if (!status) {
    jvmti->DisposeEnvironment();
    return status.error();
  }
  return jvmti;
}

Status JvmEvents::Enable(jvmtiEnv* jvmti, PrimingPaths priming) {
  for (const auto& [event, path] : kSessionEvents) {
    if (path && !priming.Has(*path)) continue;
    const Status enabled = SetMode(jvmti, event, JVMTI_ENABLE);
    if (!enabled) {
      Disable(jvmti);
      return enabled.error();
    }
  }
  return Check(jvmti->GenerateEvents(JVMTI_EVENT_DYNAMIC_CODE_GENERATED), "GenerateEvents");
}

void JvmEvents::Disable(jvmtiEnv* jvmti) {
  for (const auto& [event, path] : kSessionEvents) {
    static_cast<void>(SetMode(jvmti, event, JVMTI_DISABLE));  // one that was not on stays off
  }
}

}  // namespace jprof
