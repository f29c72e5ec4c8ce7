#include "engines/context/context_buffers.h"

#include "engines/context/context_blocks.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

// The indices of the array, as in RecordWriter.java.
constexpr jsize kBlock = 0;
constexpr jsize kSlot = 1;
constexpr jsize kCommon = 2;
constexpr jsize kLength = 3;

// Set once, before Java can ask for buffers.
constinit jclass g_buffer_class = nullptr;
constinit jobject g_common_buffer = nullptr;
constinit CommonWords* g_common = nullptr;

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
// `are_made` is false, or there is no memory. The JVM might call another agent when this function
// allocates memory. If that agent's code has made the array meanwhile, returns that array.
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

void Delete(JNIEnv* jni, void* owner) {
  if (owner != nullptr) jni->DeleteWeakGlobalRef(static_cast<jweak>(owner));
}

// Returns the array of the calling virtual thread; nullptr as in OfPlatformThread. If another
// agent's code has made the array or the block meanwhile, uses that array or block.
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

}  // namespace

Status ContextBuffers::Prepare(JNIEnv* jni, CommonWords* words) {
  static_assert(sizeof *words == 2 * sizeof(int64_t));
  if (g_common_buffer != nullptr) return {};
  const LocalFrame frame(jni, 2);
  const jclass buffer = jni->FindClass("java/nio/ByteBuffer");
  const jobject common =
      buffer == nullptr ? nullptr : jni->NewDirectByteBuffer(words, sizeof *words);
  if (g_buffer_class == nullptr && common != nullptr) {
    g_buffer_class = static_cast<jclass>(jni->NewGlobalRef(buffer));
  }
  g_common = words;
  words->wanted.store(MonotonicNanos(), std::memory_order_relaxed);
  if (g_buffer_class != nullptr) g_common_buffer = jni->NewGlobalRef(common);
  ClearException(jni);
  if (g_common_buffer == nullptr) return NoMemoryInJvm("for buffers of contexts");
  return {};
}

jobjectArray ContextBuffers::OfThisThread(JNIEnv* jni, int64_t virtual_thread, bool are_made) {
  if (are_made) g_common->wanted.fetch_add(1, std::memory_order_relaxed);
  return virtual_thread == 0 ? OfPlatformThread(jni, are_made)
                             : OfVirtualThread(jni, virtual_thread, are_made);
}

bool ContextBuffers::Grow(JNIEnv* jni, jobjectArray buffers, int64_t virtual_thread) {
  ContextBlocks& blocks = ContextBlocks::OfProcess();
  ContextBlock* const full = blocks.TakeFull();
  if (full == nullptr) return false;
  const jobjectArray grown = NewBuffers(jni, full, virtual_thread);
  if (grown == nullptr) {
    blocks.GiveBack(full);
    return false;
  }
  if (!blocks.Grow(virtual_thread, full)) return false;
  for (const jsize place : {kBlock, kSlot}) {
    jni->SetObjectArrayElement(buffers, place, jni->GetObjectArrayElement(grown, place));
  }
  return true;
}

void ContextBuffers::EndThisThread(JNIEnv* jni) {
  void* const owner = ContextBlocks::OfProcess().EndThisThread();
  if (owner != nullptr) jni->DeleteGlobalRef(static_cast<jobject>(owner));
}

}  // namespace jprof
