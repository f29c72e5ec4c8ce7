#include "asgst/walk_service.h"

#include <pthread.h>

#include <atomic>
#include <climits>
#include <cstring>
#include <utility>

#include "asgst/thread_walks.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvm_information.h"
#include "jvm/jvmti_ptr.h"
#include "os/pages.h"
#include "sigsafe/asgst/capabilities.h"

namespace jprof::asgst {
namespace {

// The memory for names of methods. A method takes about 100 bytes. Memory that is not used is
// address space only.
constexpr size_t kBytesForNames = size_t{64} << 20;

constinit std::atomic<JvmEvents*> g_events{nullptr};

// Finds the key by which HotSpot finds the current Thread: the lowest key whose value is
// `java_thread` on its own thread (jdk-17+35
// src/hotspot/os/posix/threadLocalStorage_posix.cpp; HotSpot makes the key before it loads agents).
Result<pthread_key_t> KeyOfCurrentThread(uint64_t java_thread) {
  for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; ++key) {
    if (reinterpret_cast<uint64_t>(pthread_getspecific(key)) == java_thread) return key;
  }
  return Error("this JVM does not keep its current thread in a thread-specific value");
}

ThreadListLayout ThreadListOf(const VmStructs& structs) {
  ThreadListLayout layout;
  const VmFields& fields = structs.fields;
  if (structs.statics.java_thread_list != nullptr && fields.list_length && fields.list_threads) {
    layout.array = structs.statics.java_thread_list;
    layout.length = *fields.list_length;
    layout.first_in_array = *fields.list_threads;
  } else if (structs.statics.first_thread != nullptr && fields.thread_next.exists()) {
    layout.first = structs.statics.first_thread;
    layout.next = fields.thread_next;
  }
  return layout;
}

// GetClassMethods makes the ids of all methods of a class.
void MakeMethodIdsOf(jvmtiEnv* jvmti, jclass declaring) {
  jint count = 0;
  JvmtiPtr<jmethodID> methods(jvmti);
  static_cast<void>(jvmti->GetClassMethods(declaring, &count, methods.out()));
}

}  // namespace

Status MethodIdMaker::MakeForLoaded(jvmtiEnv* jvmti, JNIEnv* jni) {
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti);
  const Status listed =
      CheckAccepted(jvmti->GetLoadedClasses(&count, classes.out()), "GetLoadedClasses");
  if (!listed) return listed;
  for (jint i = 0; i < count; ++i) {
    MakeMethodIdsOf(jvmti, classes[i]);
    jni->DeleteLocalRef(classes[i]);
  }
  return {};
}

void MethodIdMaker::OnClassPrepare(jvmtiEnv* jvmti, JNIEnv*, jthread, jclass prepared) {
  MakeMethodIdsOf(jvmti, prepared);
}

WalkService& WalkService::OfProcess() {
  static auto* const service = new WalkService;
  return *service;
}

Status WalkService::Begin(const ServedJvm& jvm, JNIEnv* jni, bool with_method_ids) {
  const std::lock_guard lock(mutex_);
  if (state_ == nullptr) {
    const Status made = MakeState(jvm, jni);
    if (!made) return made;
  }
  if (with_method_ids && !makes_method_ids_) {
    const Status made = MakeMethodIds(jvm, jni);
    if (!made) return made;
  }
  if (uses_ == 0) {
    const Status buffers = Walking::EnsureBuffers();
    if (!buffers) return buffers;
    Result<Walking::Use> use = jvm.walking.Begin();
    if (!use) return use.error();
    walking_ = std::move(use).value();
    g_events.store(&jvm.events, std::memory_order_release);
    UseApiState(state_);
  }
  ++uses_;
  return {};
}

JvmEvents* WalkService::Events() { return g_events.load(std::memory_order_acquire); }

bool WalkService::End() {
  const std::lock_guard lock(mutex_);
  if (uses_ == 0) return false;
  if (--uses_ > 0) return true;
  UseApiState(nullptr);
  ThreadWalks::OfProcess().Stop();
  walking_.reset();
  prepared_classes_.Cancel();
  makes_method_ids_ = false;
  return true;
}

Status WalkService::MakeState(const ServedJvm& jvm, JNIEnv* jni) {
  if (!jvm.hotspot.walk) return jvm.hotspot.walk;
  if (!jvm.hotspot.knows_threads) return Error("the threads of this JVM cannot be found");
  const uint64_t java_thread = JavaThreadOf(jni, jvm.hotspot.layout.env_offset);
  const Result<pthread_key_t> key = KeyOfCurrentThread(java_thread);
  if (!key) return key.error();
  Result<Pages> names = Pages::Reserve(kBytesForNames);
  if (!names) return names.error();
  auto* const state = new ApiState;
  state->vm = &jvm.hotspot.layout;
  state->thread_key = key.value();
  memcpy(&state->java_thread_table, reinterpret_cast<const void*>(java_thread), kWordSize);
  memcpy(&state->jni_functions, jni, kWordSize);
  state->threads = ThreadListOf(jvm.structs);
  state->thread_state = jvm.structs.fields.thread_state;
  state->klass_method_ids = jvm.structs.fields.klass_method_ids;
  const VmFields& fields = jvm.structs.fields;
  if (jvm.structs.statics.class_offset_in_mirror != nullptr && fields.klass_methods.exists() &&
      fields.metadata_array_length.exists() && fields.methods_data) {
    state->class_in_mirror = static_cast<uint64_t>(*jvm.structs.statics.class_offset_in_mirror);
    state->klass_methods = fields.klass_methods;
    state->methods_length = fields.metadata_array_length;
    state->methods_data = *fields.methods_data;
  }
  // The first release in which a jmethodID is a number is 26 (JDK-8268406).
  constexpr int kFirstWithNumbers = 26;
  const int release = JdkRelease(jvm.events.jvmti());
  state->ids_are_addresses = release != 0 && release < kFirstWithNumbers;
  state->methods = new MethodRecords;
  state->arena = new Arena(names.value().Leak());
  state->capabilities = kIterators | kRegisterQueue | kWholeQueuedStacks |
                        kApproximateQueuedStacks | kIteratorOfThread | kClassUnload;
  if (state->ids_are_addresses || state->class_in_mirror != 0) {
    state->capabilities |= kJMethodIdToMethod;
  }
  state_ = state;
  return {};
}

Status WalkService::MakeMethodIds(const ServedJvm& jvm, JNIEnv* jni) {
  Result<JvmEvents::Subscription> prepared =
      jvm.events.Subscribe(method_ids_, {JVMTI_EVENT_CLASS_PREPARE});
  if (!prepared) return prepared.error();
  const Status listed = MethodIdMaker::MakeForLoaded(jvm.events.jvmti(), jni);
  if (!listed) return listed;
  prepared_classes_ = std::move(prepared).value();
  makes_method_ids_ = true;
  return {};
}

}  // namespace jprof::asgst
