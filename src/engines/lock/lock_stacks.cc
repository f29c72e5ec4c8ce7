#include "engines/lock/lock_stacks.h"

#include <algorithm>
#include <atomic>

#include "engines/lock/record_search.h"

namespace jprof {
namespace {

// LockStack::CAPACITY (jdk-25+36 src/hotspot/share/runtime/lockStack.hpp).
constexpr uint64_t kMostEntries = 8;

bool Holds(const LockStackLayout& layout, uint64_t java_thread, uint64_t object) {
  int64_t top = 0;
  if (!layout.top.Load(java_thread, &top)) return false;
  const uint64_t end =
      std::min<uint64_t>(static_cast<uint32_t>(top), layout.base + kMostEntries * sizeof(uint64_t));
  for (uint64_t entry = layout.base; entry < end; entry += sizeof(uint64_t)) {
    uint64_t held = 0;
    if (GuardedLoad(java_thread + entry, &held) && held == object) return true;
  }
  return false;
}

// The thread that the JavaThread runs, where the JVM says that; before JDK 24 the carrier.
// SampledThread(): a carrier that acts for its virtual thread (jdk-25+36
// src/java.base/share/classes/java/lang/VirtualThread.java, switchToCarrierThread).
SampledThread RunBy(const HotspotLayout& vm, const ProfiledThread& thread, uint64_t java_thread) {
  int64_t id = 0;
  int64_t continuation = 0;
  if (vm.thread_current_id.exists()) {
    if (!vm.thread_current_id.Load(java_thread, &id) || id <= 0) return {};
    if (id != thread.java_id.load(std::memory_order_relaxed)) return SampledThread::Virtual(id);
    if (vm.thread_continuation.exists() &&
        (!vm.thread_continuation.Load(java_thread, &continuation) || continuation != 0)) {
      return {};
    }
  }
  return SampledOf(thread);
}

// The only thread that holds it.
SampledThread HolderOf(const HotspotLayout& vm, uint64_t object) {
  ThreadRecords* const records = GetThreadRecords();
  const uint32_t end = records == nullptr ? 0 : records->HighWater();
  SampledThread holder;
  for (uint32_t index = 0; index < end; ++index) {
    const ProfiledThread& thread = *records->At(index);
    const void* const jni_env = thread.jni_env.load(std::memory_order_acquire);
    const Tid tid = thread.tid.load(std::memory_order_acquire);
    if (jni_env == nullptr || Value(tid) == 0) continue;
    const uint64_t java_thread = JavaThreadOf(jni_env, vm.env_offset);
    const SampledThread before = RunBy(vm, thread, java_thread);
    if (!Holds(vm.lock_stack, java_thread, object)) continue;
    if (holder != SampledThread() || before != RunBy(vm, thread, java_thread)) return {};
    holder = before;
    if (holder == SampledThread()) return {};
  }
  return holder;
}

}  // namespace

// A pause that has begun before the count is read ends before the call into the JVM returns. One
// that begins later counts before it moves an object.
SampledThread HolderByLockStacks(JNIEnv* jni, const HotspotLayout& vm, jobject object) {
  const LockStackLayout& layout = vm.lock_stack;
  const auto reference = reinterpret_cast<uint64_t>(object);
  int64_t before = 0;
  int64_t after = 0;
  uint64_t address = 0;
  if (layout.base == 0 || !layout.collections.Load(layout.heap, &before)) return {};
  if (jni->IsSameObject(object, nullptr) != JNI_FALSE) return {};
  std::atomic_thread_fence(std::memory_order_acquire);  // with the pause's stores
  if (!GuardedLoad(reference, &address) || address == 0) return {};
  const SampledThread holder = HolderOf(vm, address);
  std::atomic_thread_fence(std::memory_order_acquire);
  const bool is_steady = layout.collections.Load(layout.heap, &after) && after == before;
  return is_steady ? holder : SampledThread();
}

}  // namespace jprof
