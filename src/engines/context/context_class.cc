#include "engines/context/context_class.h"

#include <atomic>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/modified_utf8.h"
#include "base/result.h"
#include "engines/context/context_blocks.h"
#include "engines/context/mounted_contexts.h"
#include "engines/context/tag_names.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/os/clock.h"
#include "sigsafe/sampling/context_reader.h"

namespace jprof {
namespace {

// The words of native memory that all threads share, in the order in which RecordWriter.java reads
// them. All accesses are relaxed: the words publish no other memory.
struct CommonWords {
  std::atomic<ContextClass::SpanRecorder> span_recorder{nullptr};  // Java only tests it for 0
  // The number of times that a copy of jprof.ThreadContext has requested new buffers. A thread
  // without buffers remembers the number, and asks again only when the number has changed, because
  // another copy might have made buffers for the thread. The number starts at the time of a clock
  // and not at 0: if another copy of this library replaces this one, its number must differ from
  // every number that a thread remembers.
  std::atomic<int64_t> wanted{0};
};
constinit CommonWords g_common_words;

// The indices of an array of buffers, as in RecordWriter.java. Java writes the trace context of a
// thread through a ByteBuffer[] with three elements: the thread's block, the slot that has the
// address of the published record, and the CommonWords of all threads. The classes of the array and
// the buffers belong to the JDK, so they keep no class loader of the program alive.
//
// The owner of a block (context_blocks.h) is a reference to the block's array. So every copy of
// jprof.ThreadContext gets the same array for a thread, even after the thread's thread-local
// variables were erased. The owner of a platform thread's block is a global reference, until the
// thread ends. The owner of a virtual thread's block is a weak reference: Java keeps the array in a
// thread-local variable, and the block can be freed once no Java object refers to the array any
// more.
constexpr jsize kBlock = 0;
constexpr jsize kSlot = 1;
constexpr jsize kCommon = 2;
constexpr jsize kLength = 3;

// The class ByteBuffer and the buffer of g_common_words. Both are set once, before Java can ask for
// buffers.
constinit jclass g_buffer_class = nullptr;
constinit jobject g_common_buffer = nullptr;

// Returns the address of the slot that points to the thread's published record.
void* SlotOf(ContextBlock* block, int64_t virtual_thread) {
  if (virtual_thread != 0) return &block->current;
  return const_cast<const profiler_context**>(OwnContextSlot());
}

// Puts a buffer of `block` and a buffer of `slot` into the array. Returns false and changes nothing
// if there is no memory.
bool SetBlock(JNIEnv* jni, jobjectArray buffers, ContextBlock* block, void* slot) {
  const auto bytes = static_cast<jlong>(ContextBlock::BytesWith(block->record_bytes));
  const jobject records = jni->NewDirectByteBuffer(block, bytes);
  const jobject place =
      records == nullptr ? nullptr : jni->NewDirectByteBuffer(slot, sizeof(void*));
  if (place == nullptr) {
    jni->ExceptionClear();
    return false;
  }
  jni->SetObjectArrayElement(buffers, kBlock, records);
  jni->SetObjectArrayElement(buffers, kSlot, place);
  return true;
}

// Returns a new array of buffers for the block; nullptr if there is no memory.
jobjectArray NewBuffers(JNIEnv* jni, ContextBlock* block, int64_t virtual_thread) {
  const jobjectArray buffers = jni->NewObjectArray(kLength, g_buffer_class, nullptr);
  if (buffers == nullptr) {
    jni->ExceptionClear();
    return nullptr;
  }
  if (!SetBlock(jni, buffers, block, SlotOf(block, virtual_thread))) return nullptr;
  jni->SetObjectArrayElement(buffers, kCommon, g_common_buffer);
  return buffers;
}

// Returns the array of the calling platform thread; nullptr if the thread has no array and
// `are_made` is false, if the thread has ended as a Java thread, or if there is no memory. While
// this function allocates Java objects, the JVM can call another agent on this thread. If that
// agent uses jprof.ThreadContext, it makes the array first, and this function returns the agent's
// array.
jobjectArray OfPlatformThread(JNIEnv* jni, bool are_made) {
  ContextBlock* const block =
      are_made ? ContextBlocks::OfProcess().OfThisThread() : OwnContextBlock();
  if (block == nullptr) return nullptr;
  if (block->owner == nullptr) {
    const jobjectArray made = NewBuffers(jni, block, 0);
    if (made == nullptr) return nullptr;
    if (block->owner == nullptr) block->owner = jni->NewGlobalRef(made);
    if (block->owner == nullptr) return made;
  }
  return static_cast<jobjectArray>(jni->NewLocalRef(static_cast<jobject>(block->owner)));
}

// Deletes the weak reference that is the owner of a virtual thread's block, unless it is nullptr.
void Delete(JNIEnv* jni, void* owner) {
  if (owner != nullptr) jni->DeleteWeakGlobalRef(static_cast<jweak>(owner));
}

// Returns the array of the calling virtual thread; nullptr if the thread has no array and
// `are_made` is false, or if there is no memory. Another agent can run on this thread meanwhile
// (see OfPlatformThread). If that agent makes an array for the same block, the array that is made
// here becomes the owner in place of the agent's. If that agent replaces the thread's block, this
// function starts again with the new block.
jobjectArray OfVirtualThread(JNIEnv* jni, int64_t virtual_thread, bool are_made) {
  ContextBlocks& blocks = ContextBlocks::OfProcess();
  const ContextBlocks::IsGone is_gone = [jni](void* owner) {
    if (jni->IsSameObject(static_cast<jobject>(owner), nullptr) == JNI_FALSE) return false;
    Delete(jni, owner);
    return true;
  };
  while (true) {
    const ContextBlocks::Claim claim = blocks.ClaimBlock(virtual_thread, are_made, is_gone);
    if (claim.block == nullptr) return nullptr;
    const jobject known =
        claim.owner == nullptr ? nullptr : jni->NewLocalRef(static_cast<jobject>(claim.owner));
    auto* const buffers = static_cast<jobjectArray>(
        known != nullptr ? known : NewBuffers(jni, claim.block, virtual_thread));
    void* owner = claim.owner;
    if (known == nullptr) {
      Delete(jni, owner);
      owner = buffers == nullptr ? nullptr : jni->NewWeakGlobalRef(buffers);
    }
    if (owner == nullptr) {  // no memory
      ClearException(jni);
      blocks.Release(virtual_thread);
      return nullptr;
    }
    const std::optional<void*> before = blocks.Own(virtual_thread, claim.block, owner);
    Delete(jni, before.value_or(owner));
    if (before) return buffers;
  }
}

// Makes the objects that the buffers of all threads share. Repeated calls have no effect once a
// call has succeeded.
Status PrepareBuffers(JNIEnv* jni) {
  static_assert(sizeof g_common_words == 2 * sizeof(int64_t));
  if (g_common_buffer != nullptr) return {};
  const LocalFrame frame(jni, 2);
  const jclass buffer = jni->FindClass("java/nio/ByteBuffer");
  const jobject common = buffer == nullptr
                             ? nullptr
                             : jni->NewDirectByteBuffer(&g_common_words, sizeof g_common_words);
  if (g_buffer_class == nullptr && common != nullptr) {
    g_buffer_class = static_cast<jclass>(jni->NewGlobalRef(buffer));
  }
  g_common_words.wanted.store(MonotonicNanos(), std::memory_order_relaxed);
  if (g_buffer_class != nullptr) g_common_buffer = jni->NewGlobalRef(common);
  ClearException(jni);
  if (g_common_buffer == nullptr) return NoMemoryInJvm("for buffers of contexts");
  return {};
}

// The end of the signature of every copy of jprof.ThreadContext, including a copy that was
// relocated to another package.
constexpr std::string_view kEndOfSignature = "/ThreadContext;";

jboolean JNICALL Connected(JNIEnv*, jclass) { return JNI_TRUE; }

// Returns the array of buffers of the calling thread. The caller has to set the byte order of the
// buffers. `virtual_thread` is the id of the virtual thread, or 0 for a platform thread. If the
// thread has no buffers, makes them if `are_made` is true and returns nullptr if it is false. Also
// returns nullptr if there is no memory, or if the thread has ended as a Java thread.
jobjectArray JNICALL BuffersOfThread(JNIEnv* jni, jclass, jlong virtual_thread, jboolean are_made) {
  if (are_made == JNI_TRUE) g_common_words.wanted.fetch_add(1, std::memory_order_relaxed);
  return virtual_thread == 0 ? OfPlatformThread(jni, are_made == JNI_TRUE)
                             : OfVirtualThread(jni, virtual_thread, are_made == JNI_TRUE);
}

// Replaces the small block of the calling virtual thread by a full-size one, and puts the buffers
// of the full-size block into `buffers`, the thread's array. Returns false and changes nothing if
// the thread's block has the full size already, or there is no memory.
jboolean JNICALL GrowThread(JNIEnv* jni, jclass, jobjectArray buffers, jlong virtual_thread) {
  ContextBlocks& blocks = ContextBlocks::OfProcess();
  ContextBlock* const full = blocks.TakeFull();
  if (full == nullptr) return JNI_FALSE;
  const jobjectArray grown = NewBuffers(jni, full, virtual_thread);
  if (grown == nullptr) {
    blocks.GiveBack(full);
    return JNI_FALSE;
  }
  if (!blocks.Grow(virtual_thread, full)) return JNI_FALSE;
  for (const jsize place : {kBlock, kSlot}) {
    jni->SetObjectArrayElement(buffers, place, jni->GetObjectArrayElement(grown, place));
  }
  return JNI_TRUE;
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

// True if the class has a name that a copy of jprof.ThreadContext can have. Only Bind finds out
// whether the class is such a copy. Returns an Error if the JVM has no memory for the class's
// signature.
Result<bool> IsContextClass(jvmtiEnv* jvmti, jclass loaded) {
  JvmtiPtr<char> signature(jvmti);
  const jvmtiError error = jvmti->GetClassSignature(loaded, signature.out(), nullptr);
  if (error == JVMTI_ERROR_OUT_OF_MEMORY) return OutOfHeap().error();
  return error == JVMTI_ERROR_NONE && std::string_view(signature.get()).ends_with(kEndOfSignature);
}

// Binds the native methods of a copy of jprof.ThreadContext. Returns false if the class lacks a
// method of the list, because it is an unrelated class of this name or a copy of another version. A
// class that lacks any method of the list also lacks the first one. The JVM stops at a missing
// method, so it binds no method of such a class. Returns an Error if the JVM has no memory.
Result<bool> Bind(JNIEnv* jni, jclass copy) {
  // JNINativeMethod has pointers to non-const characters, but the JVM does not change them.
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

// Makes a bound copy of jprof.ThreadContext use the agent. A class that was initialised before it
// was bound has found no agent, and keeps no contexts until activate() is called. If the class is
// not initialised yet, the call of activate() initialises it.
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
  const Status prepared = PrepareBuffers(jni);
  if (!prepared) return prepared.error();
  auto listener = std::unique_ptr<ContextClass>(new ContextClass);
  Result<JvmEvents::Subscription> subscription = events.Subscribe(
      *listener, {JVMTI_EVENT_CLASS_PREPARE, JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END});
  if (!subscription) return subscription.error();
  const Status bound = BindLoaded(events.jvmti(), jni);
  if (!bound) {
    subscription.value().Cancel();
    static_cast<void>(listener.release());  // leaked: a callback might still be running
    return bound;
  }
  listener->subscription_ = std::move(subscription).value();
  static_cast<void>(listener.release());  // leaked: lives as long as the JVM
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
  void* const owner = ContextBlocks::OfProcess().EndThisThread();
  if (owner != nullptr) jni->DeleteGlobalRef(static_cast<jobject>(owner));
}

}  // namespace jprof
