#include "engines/context/context_class.h"

#include <atomic>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/modified_utf8.h"
#include "engines/context/context_blocks.h"
#include "engines/context/context_buffers.h"
#include "engines/context/mounted_contexts.h"
#include "engines/context/tag_names.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/sampling/context_reader.h"

namespace jprof {
namespace {

// The end of the signature of every copy of jprof.ThreadContext, also of a copy that was relocated
// to another package.
constexpr std::string_view kEndOfSignature = "/ThreadContext;";

constinit CommonWords g_common_words;

jboolean JNICALL Connected(JNIEnv*, jclass) { return JNI_TRUE; }

jobjectArray JNICALL BuffersOfThread(JNIEnv* jni, jclass, jlong virtual_thread, jboolean are_made) {
  return ContextBuffers::OfThisThread(jni, virtual_thread, are_made == JNI_TRUE);
}

jboolean JNICALL GrowThread(JNIEnv* jni, jclass, jobjectArray buffers, jlong virtual_thread) {
  return ContextBuffers::Grow(jni, buffers, virtual_thread) ? JNI_TRUE : JNI_FALSE;
}

void JNICALL ShowThread(JNIEnv*, jclass, jlong virtual_thread) {
  MountedContexts::Show(virtual_thread);
}

jint JNICALL KeyOfTag(JNIEnv* jni, jclass, jstring name) {
  const char* const text = jni->GetStringUTFChars(name, nullptr);
  if (text == nullptr) {
    jni->ExceptionClear();
    return -1;
  }
  const auto key = TagNames::OfProcess().KeyOf(Utf8FromModifiedUtf8(text));
  jni->ReleaseStringUTFChars(name, text);
  return key ? *key : -1;
}

void JNICALL EndSpan(JNIEnv*, jclass, jlong virtual_thread, jlong begin_ns) {
  const ContextClass::SpanRecorder record =
      g_common_words.span_recorder.load(std::memory_order_relaxed);
  if (record != nullptr) record(virtual_thread, begin_ns);
}

Status OutOfHeap() { return NoMemoryInJvm("to connect jprof.ThreadContext"); }

// True if the class has the name of a copy of jprof.ThreadContext; Bind finds out whether the class
// is a copy. Returns an Error if the JVM has no memory for the class's signature.
Result<bool> IsContextClass(jvmtiEnv* jvmti, jclass loaded) {
  JvmtiPtr<char> signature(jvmti);
  const jvmtiError error = jvmti->GetClassSignature(loaded, signature.out(), nullptr);
  if (error == JVMTI_ERROR_OUT_OF_MEMORY) return OutOfHeap().error();
  return error == JVMTI_ERROR_NONE && std::string_view(signature.get()).ends_with(kEndOfSignature);
}

// Binds the native methods of a copy of jprof.ThreadContext. Returns false if a native method is
// missing: then `copy` is another class of this name, or a copy of another version. Such a class is
// left as it is, because it lacks the first method of the list, so that the JVM binds none. Returns
// an Error if the JVM has no memory.
Result<bool> Bind(JNIEnv* jni, jclass copy) {
  // The JVM does not change the texts.
  const auto native = [](const char* name, const char* descriptor, void* function) {
    return JNINativeMethod{const_cast<char*>(name), const_cast<char*>(descriptor), function};
  };
  const JNINativeMethod natives[] = {
      native("buffers", "(JZ)[Ljava/nio/ByteBuffer;", reinterpret_cast<void*>(BuffersOfThread)),
      native("connect", "()Z", reinterpret_cast<void*>(Connected)),
      native("grow", "([Ljava/nio/ByteBuffer;J)Z", reinterpret_cast<void*>(GrowThread)),
      native("show", "(J)V", reinterpret_cast<void*>(ShowThread)),
      native("end", "(JJ)V", reinterpret_cast<void*>(EndSpan)),
      native("tag", "(Ljava/lang/String;)I", reinterpret_cast<void*>(KeyOfTag)),
  };
  const bool is_bound = jni->RegisterNatives(copy, natives, std::size(natives)) == JNI_OK;
  if (ClearException(jni) == ClearedException::kOutOfMemory) return OutOfHeap().error();
  return is_bound;
}

// Makes a copy of jprof.ThreadContext use the agent if the class was initialised before it was
// bound. If the class is not initialised yet, the call to its activate() initialises it.
Status Activate(JNIEnv* jni, jclass copy) {
  const jmethodID activate = jni->GetStaticMethodID(copy, "activate", "()V");
  if (activate != nullptr) jni->CallStaticVoidMethod(copy, activate);
  return ClearException(jni) == ClearedException::kOutOfMemory ? OutOfHeap() : Status();
}

Status BindLoaded(jvmtiEnv* jvmti, JNIEnv* jni) {
  const LocalFrame frame(jni, LocalFrame::kMost);
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti);
  const Status listed =
      CheckAccepted(jvmti->GetLoadedClasses(&count, classes.out()), "GetLoadedClasses");
  if (!listed) return listed;
  for (jint i = 0; i < count; ++i) {
    const jclass loaded = classes.get()[i];
    const Result<bool> is_copy = IsContextClass(jvmti, loaded);
    if (!is_copy) return is_copy.error();
    if (is_copy.value()) {
      const Result<bool> bound = Bind(jni, loaded);
      if (!bound) return bound.error();
      const Status active = bound.value() ? Activate(jni, loaded) : Status();
      if (!active) return active;
    }
    jni->DeleteLocalRef(loaded);
  }
  return {};
}

}  // namespace

Status ContextClass::Connect(JvmEvents& events, JNIEnv* jni) {
  if (ContextsAreRead()) return {};
  const Status prepared = ContextBuffers::Prepare(jni, &g_common_words);
  if (!prepared) return prepared.error();
  auto listener = std::unique_ptr<ContextClass>(new ContextClass);
  Result<JvmEvents::Subscription> subscription = events.Subscribe(
      *listener, {JVMTI_EVENT_CLASS_PREPARE, JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END});
  if (!subscription) return subscription.error();
  const Status bound = BindLoaded(events.jvmti(), jni);
  if (!bound) {
    subscription.value().Cancel();
    static_cast<void>(listener.release());  // a callback might still be running
    return bound;
  }
  listener->subscription_ = std::move(subscription).value();
  static_cast<void>(listener.release());  // lives as long as the JVM
  SetContextsAreRead();
  const Status published = TagNames::OfProcess().Publish();
  if (!published) {
    Log::Info("readers outside of this process do not learn the names of tags: %s",
              published.error().message().c_str());
  }
  return {};
}

void ContextClass::Export(JvmEvents& events, JNIEnv* jni) {
  const Status begun = MountedContexts::Begin(events.jvmti(), jni);
  if (!begun) {
    Log::Info("contextexport has no effect: %s", begun.error().message().c_str());
  }
}

void ContextClass::RecordSpans(SpanRecorder recorder) {
  g_common_words.span_recorder.store(recorder, std::memory_order_relaxed);
}

void ContextClass::OnClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jclass prepared) {
  const Result<bool> is_copy = IsContextClass(jvmti, prepared);
  if (is_copy && is_copy.value()) static_cast<void>(Bind(jni, prepared));
}

void ContextClass::OnThreadStart(jvmtiEnv*, JNIEnv*, jthread) {
  ContextBlocks::OfProcess().BeginThisThread();
}

void ContextClass::OnThreadEnd(jvmtiEnv*, JNIEnv* jni, jthread) {
  ContextBuffers::EndThisThread(jni);
}

}  // namespace jprof
