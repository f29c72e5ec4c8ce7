#include "engines/lock/sampled_wait.h"

#include <algorithm>
#include <cstring>

#include "audit/stack_audit.h"
#include "engines/lock/waited_wall_time.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/sampling/sample_taker.h"

namespace jprof {
namespace {

// Reads the name of the thread by asking the JVM, because a callback cannot read the heap. Leaves
// `name` empty if the name is not ASCII: only ASCII has the same bytes in the JVM's answer and in
// the heap, from which samples of other kinds read names.
void ReadName(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, ThreadNameBytes* name) {
  const LocalFrame frame(jni, 4);
  jvmtiThreadInfo info{};
  if (jvmti->GetThreadInfo(thread, &info) != JVMTI_ERROR_NONE || info.name == nullptr) return;
  const size_t length = strlen(info.name);
  const bool is_ascii = std::all_of(info.name, info.name + length, [](char c) { return c > 0; });
  if (is_ascii) {
    name->size = static_cast<uint8_t>(std::min(length, ThreadNameBytes::kCapacity));
    memcpy(name->bytes, info.name, name->size);
  }
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(info.name));
}

// Returns the subject of a wait that has ended: the calling thread, or the virtual thread that it
// runs.
Subject SubjectOf(const SampledWait& wait, const ThreadNameBytes* name) {
  return wait.waiting.is_virtual() ? Subject::Reported(wait.waiting.virtual_id(), name)
                                   : Subject::Taker();
}

// Takes the sample with a stack that the JVM reports. Not inlined, because the stack is large.
[[gnu::noinline]] void SampleFromJvm(jvmtiEnv* jvmti, JNIEnv* jni, SampledClasses& classes,
                                     const SampledWait& wait, const ThreadNameBytes* name,
                                     const LockSampling& policy) {
  StackAtJvm stack;
  if (wait.thread != nullptr && policy.is_in_window()) {
    stack.Fetch(jvmti, wait.thread);
    stack.NoteMethods(jvmti, jni, classes);
  }
  if (wait.goes_on()) {
    TakeSample(wait.taker, Subject::Other(wait.waiting, name), stack, policy);
  } else {
    TakeSample(SubjectOf(wait, name), stack, policy);
  }
}

}  // namespace

void SampleWait(jvmtiEnv* jvmti, JNIEnv* jni, SampledClasses& classes, const SampledWait& wait) {
  LockPayload payload{};
  payload.start_ns = wait.start_ns;
  payload.waited_ns = wait.waited_ns;
  payload.timeout = wait.timeout;
  payload.owner = ForPayload(wait.owner);
  payload.waker = ForPayload(wait.waker);
  payload.holder = ForPayload(wait.held.holder);
  payload.holder_stack = wait.held.trace;
  payload.waker_stack = wait.waker_stack;
  payload.type = wait.type;
  payload.flags = wait.flags;
  if (wait.object != nullptr) {
    const jclass object_class = jni->GetObjectClass(wait.object);
    payload.class_number = classes.NumberOf(jvmti, jni, object_class);
    jni->DeleteLocalRef(object_class);
    jint hash = 0;
    static_cast<void>(jvmti->GetObjectHashCode(wait.object, &hash));
    payload.hash = static_cast<uint32_t>(hash);
  } else if (wait.lock_class != nullptr) {
    payload.class_number = classes.NumberOf(jvmti, jni, wait.lock_class);
    payload.hash = wait.hash;
  }
  ThreadNameBytes name{};
  if (wait.waiting.is_virtual() && wait.thread != nullptr) {
    ReadName(jvmti, jni, wait.thread, &name);
  }
  const LockSampling policy(wait.weight, payload, wait.probe_frames);
  if (wait.goes_on() || wait.is_off_stack) {
    SampleFromJvm(jvmti, jni, classes, wait, &name, policy);
  } else {
    const StackAudit audit(jvmti, jni);
    TakeSample(SubjectOf(wait, &name), audit.source(), policy);
  }
}

}  // namespace jprof
