#include "engines/lock/sampled_wait.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "jvm/jvmti_ptr.h"
#include "sigsafe/sampling/sample_taker.h"

namespace jprof {
namespace {

constexpr uint32_t kMostFramesAsked = 512;

// A source that asks the JVM for the stack of a thread, instead of walking the stack.
class StackOfJvm {
 public:
  // If `thread` is nullptr, the stack is unknown.
  StackOfJvm(jvmtiEnv* jvmti, JNIEnv* jni, SampledClasses& classes, jthread thread)
      : jvmti_(jvmti), jni_(jni), classes_(classes), thread_(thread) {}

  static constexpr bool kNeedsBuffer = true;
  SampledWalk Walk(const WalkEnvironment&, ThreadSlot&, const Subject& subject,
                   const WalkBuffer& buffer) const {
    return {AskJvm(buffer), true, subject.is_reported() ? subject.reported_id() : 0};
  }

 private:
  Stack AskJvm(const WalkBuffer& buffer) const {
    std::vector<jvmtiFrameInfo> infos(std::min(kMostFramesAsked, buffer.depth));
    jint count = 0;
    const bool is_known =
        thread_ != nullptr && jvmti_->GetStackTrace(thread_, 0, static_cast<jint>(infos.size()),
                                                    infos.data(), &count) == JVMTI_ERROR_NONE;
    if (!is_known || count <= 0) {
      buffer.frames[0] = OutcomeFrame(WalkOutcome::kStillWaiting);
      return {buffer.frames, 1, false};
    }
    for (jint i = 0; i < count; ++i) {
      classes_.NoteMethod(jvmti_, jni_, infos[i].method);
      buffer.frames[i] = {reinterpret_cast<uintptr_t>(infos[i].method),
                          static_cast<int32_t>(infos[i].location),
                          infos[i].location < 0 ? FrameKind::kJavaNative : FrameKind::kJava};
    }
    const auto frames = static_cast<uint32_t>(count);
    return {buffer.frames, frames, frames == infos.size()};
  }

  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  SampledClasses& classes_;
  const jthread thread_;
};

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
  if (wait.goes_on()) {
    TakeSample(wait.taker, Subject::Other(wait.waiting, &name),
               StackOfJvm(jvmti, jni, classes, wait.thread), policy);
    return;
  }
  const Subject subject = wait.waiting.is_virtual()
                              ? Subject::Reported(wait.waiting.virtual_id(), &name)
                              : Subject::Taker();
  if (wait.is_off_stack) {
    TakeSample(subject, StackOfJvm(jvmti, jni, classes, wait.thread), policy);
  } else {
    TakeSample(subject, CallingThread(), policy);
  }
}

}  // namespace jprof
