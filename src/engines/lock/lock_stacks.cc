#include "engines/lock/lock_stacks.h"

#include <optional>

#include "sigsafe/os/clock.h"
#include "sigsafe/stack/walk_environment.h"

namespace jprof {
namespace {

// Special values of a monitor's owner word: ObjectMonitor::ANONYMOUS_OWNER and DEFLATER_MARKER
// (jdk-25+36 src/hotspot/share/runtime/objectMonitor.hpp). Up to JDK 21 DEFLATER_MARKER is -1,
// which matches no thread's address and so needs no check.
constexpr int64_t kAnonymous = 1;
constexpr int64_t kDeflater = 2;

// Returns the thread to which a monitor's owner word belongs. From JDK 24 on, the word is the
// thread's id. Before JDK 24 it is the address of the JavaThread, or under LM_LEGACY an address on
// the thread's stack.
SampledThread OwnerOf(const HotspotLayout& vm, int64_t word, const ThreadIds& ids) {
  if (word == kDeflater) return {};
  if (vm.thread_current_id.exists()) return ids.SampledLiving(word);
  const auto address = static_cast<uint64_t>(word);
  const ThreadSlot* const owner = FindSlot(address, [&](const ThreadSlot& thread) {
    const void* const jni_env = thread.jni_env.load(std::memory_order_acquire);
    if (jni_env == nullptr || Value(thread.tid.load(std::memory_order_acquire)) == 0) return false;
    return (address >= thread.stack_low.load(std::memory_order_relaxed) &&
            address < thread.stack_high.load(std::memory_order_relaxed)) ||
           JavaThreadOf(jni_env, vm.env_offset) == address;
  });
  return owner == nullptr ? SampledThread() : SampledOf(*owner);
}

// Loads the address and the owner word of the monitor that the thread is about to wait for.
bool LoadOwner(const HotspotLayout& vm, uint64_t java_thread, int64_t* monitor, int64_t* word) {
  return vm.thread_pending_monitor.Load(java_thread, monitor) && *monitor != 0 &&
         vm.monitor_owner.Load(static_cast<uint64_t>(*monitor), word);
}

// The value of LockStack::CAPACITY (jdk-25+36 src/hotspot/share/runtime/lockStack.hpp).
constexpr uint64_t kMostEntries = 8;

// True if the object is on the lock stack of the JavaThread.
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

// Returns the thread whose code the JavaThread is running. From JDK 24 on, this is the mounted
// virtual thread, if there is one. Before JDK 24 it is always the platform thread. Returns
// SampledThread() if the thread is unknown, or while a carrier runs its own code although a virtual
// thread is mounted (jdk-25+36 src/java.base/share/classes/java/lang/VirtualThread.java,
// switchToCarrierThread).
SampledThread RunBy(const HotspotLayout& vm, const ThreadSlot& thread, uint64_t java_thread) {
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

// Returns nullopt if the object is not on the lock stack of `thread`. Else returns the thread whose
// code `thread` is running (RunBy), or SampledThread() if the result of RunBy changed during the
// search.
std::optional<SampledThread> HolderBy(const HotspotLayout& vm, const ThreadSlot& thread,
                                      uint64_t object) {
  const void* const jni_env = thread.jni_env.load(std::memory_order_acquire);
  const Tid tid = thread.tid.load(std::memory_order_acquire);
  if (jni_env == nullptr || Value(tid) == 0) return std::nullopt;
  const uint64_t java_thread = JavaThreadOf(jni_env, vm.env_offset);
  const SampledThread before = RunBy(vm, thread, java_thread);
  if (!Holds(vm.lock_stack, java_thread, object)) return std::nullopt;
  return before == RunBy(vm, thread, java_thread) ? before : SampledThread();
}

// Searches all lock stacks. If exactly one lock stack has the object, returns the thread of that
// lock stack; else returns SampledThread(). Stores in `hint` the index of the first slot whose lock
// stack has the object.
SampledThread SearchAll(const HotspotLayout& vm, ThreadSlots& slots, uint64_t object,
                        std::atomic<uint32_t>* hint) {
  SampledThread holder;
  bool has_found = false;
  const uint32_t end = slots.HighWater();
  for (uint32_t index = 0; index < end; ++index) {
    const std::optional<SampledThread> found = HolderBy(vm, *slots.At(index), object);
    if (!found) continue;
    if (has_found) return {};
    has_found = true;
    holder = *found;
    hint->store(index, std::memory_order_relaxed);
  }
  return holder;
}

// Searches first the lock stack on which an earlier call has found the object, because threads that
// wait for the same lock call this function one after the other.
SampledThread HolderOf(const HotspotLayout& vm, uint64_t object) {
  static constinit SearchBudget budget;
  ThreadSlots* const slots = GetThreadSlots();
  if (slots == nullptr) return {};
  std::atomic<uint32_t>& hint = g_found_slots[PlaceOfWord(object)];
  const uint32_t hinted = hint.load(std::memory_order_relaxed);
  if (hinted < slots->HighWater()) {
    const std::optional<SampledThread> found = HolderBy(vm, *slots->At(hinted), object);
    if (found) return *found;
  }
  const Nanos now_ns = MonotonicNanos();
  if (!budget.Allows(now_ns)) return {};
  const Nanos begin_ns = ThreadCpuNanos();
  const SampledThread holder = SearchAll(vm, *slots, object, &hint);
  budget.Spend(now_ns, ThreadCpuNanos() - begin_ns);
  return holder;
}

}  // namespace

// Reads the owner word again after the search: the thread that was found is the owner only if the
// word did not change during the search.
OwnedMonitor OwnerOfPendingMonitor(JNIEnv* jni, jobject object, const ThreadIds& ids) {
  const WalkScope scope;
  if (!scope) return {};
  const HotspotLayout* const vm = scope.environment().vm;
  if (vm == nullptr || scope.environment().faults != LoadFaults::kCaught ||
      !vm->thread_pending_monitor.exists() || !vm->monitor_owner.exists()) {
    return {};
  }
  constexpr int kTries = 4;
  const uint64_t java_thread = JavaThreadOf(jni, vm->env_offset);
  int64_t monitor = 0;
  int64_t word = 0;
  if (!LoadOwner(*vm, java_thread, &monitor, &word)) return {};
  const auto address = static_cast<uint64_t>(monitor);
  for (int i = 0; i < kTries && word != 0; ++i) {
    const SampledThread owner =
        word == kAnonymous ? HolderByLockStacks(jni, *vm, object) : OwnerOf(*vm, word, ids);
    const int64_t found_for = word;
    if (!LoadOwner(*vm, java_thread, &monitor, &word)) return {};
    if (word == found_for) return {owner, address};
  }
  return {{}, address};
}

// A monitor whose owner word is kAnonymous has been owned by the same thread since the monitor was
// created: the word never becomes kAnonymous again (jdk-25+36
// src/hotspot/share/runtime/objectMonitor.hpp, set_owner_anonymous).
SampledThread OwnerOfMonitor(const HotspotLayout& vm, uint64_t monitor,
                             const SampledThread& first_owner, const ThreadIds& ids,
                             HeldWord* held) {
  int64_t word = 0;
  if (!vm.monitor_owner.exists() || !vm.monitor_owner.Load(monitor, &word) || word == 0) return {};
  const bool is_whole = vm.monitor_owner.width == sizeof word;
  *held = {is_whole ? monitor + vm.monitor_owner.offset : 0, static_cast<uint64_t>(word)};
  return word == kAnonymous ? first_owner : OwnerOf(vm, word, ids);
}

const ThreadSlot* CarrierOf(const HotspotLayout& vm, int64_t id) {
  if (!vm.thread_current_id.exists()) return nullptr;
  return FindSlot(static_cast<uint64_t>(id), [&](const ThreadSlot& thread) {
    const void* const jni_env = thread.jni_env.load(std::memory_order_acquire);
    int64_t current = 0;
    return jni_env != nullptr && Value(thread.tid.load(std::memory_order_acquire)) != 0 &&
           vm.thread_current_id.Load(JavaThreadOf(jni_env, vm.env_offset), &current) &&
           current == id;
  });
}

// Reads the number of collections before and after the search, because a collection moves objects.
// A collection that began before the first read has ended once the call of IsSameObject returns,
// because a call into the JVM waits for the end of a pause. A collection that begins later
// increases the number before it moves an object.
SampledThread HolderByLockStacks(JNIEnv* jni, const HotspotLayout& vm, jobject object) {
  const LockStackLayout& layout = vm.lock_stack;
  const auto reference = reinterpret_cast<uint64_t>(object);
  int64_t before = 0;
  int64_t after = 0;
  uint64_t address = 0;
  if (layout.base == 0 || !layout.collections.Load(layout.heap, &before)) return {};
  if (jni->IsSameObject(object, nullptr) != JNI_FALSE) return {};
  // Orders the loads below after the stores that the collector made in the pause. The pause has
  // ended when IsSameObject returns.
  std::atomic_thread_fence(std::memory_order_acquire);
  if (!GuardedLoad(reference, &address) || address == 0) return {};
  const SampledThread holder = HolderOf(vm, address);
  // Orders the loads of the search before the second load of the number.
  std::atomic_thread_fence(std::memory_order_acquire);
  const bool is_steady = layout.collections.Load(layout.heap, &after) && after == before;
  return is_steady ? holder : SampledThread();
}

}  // namespace jprof
