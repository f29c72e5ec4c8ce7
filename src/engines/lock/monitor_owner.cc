#include "engines/lock/monitor_owner.h"

#include "engines/lock/lock_stacks.h"
#include "engines/lock/slot_search.h"
#include "sigsafe/stack/walk_scope.h"

namespace jprof {
namespace {

// ObjectMonitor::ANONYMOUS_OWNER and DEFLATER_MARKER (jdk-25+36
// src/hotspot/share/runtime/objectMonitor.hpp; the latter is -1 up to JDK 21, where no thread is).
constexpr int64_t kAnonymous = 1;
constexpr int64_t kDeflater = 2;

// From JDK 24 on the word is the id of a thread; before, its JavaThread, or under LM_LEGACY a place
// on its stack.
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

bool LoadOwner(const HotspotLayout& vm, uint64_t java_thread, int64_t* word) {
  int64_t monitor = 0;
  return vm.thread_pending_monitor.Load(java_thread, &monitor) && monitor != 0 &&
         vm.monitor_owner.Load(static_cast<uint64_t>(monitor), word);
}

}  // namespace

// What is found for a word is the owner's if the word is the same afterwards.
SampledThread OwnerOfPendingMonitor(JNIEnv* jni, jobject object, const ThreadIds& ids) {
  const WalkScope scope;
  if (!scope) return {};
  const HotspotLayout* const vm = scope.environment().vm;
  if (vm == nullptr || scope.environment().faults != LoadFaults::kCaught ||
      !vm->thread_pending_monitor.exists() || !vm->monitor_owner.exists()) {
    return {};
  }
  constexpr int kTries = 4;
  const uint64_t java_thread = JavaThreadOf(jni, vm->env_offset);
  int64_t word = 0;
  if (!LoadOwner(*vm, java_thread, &word)) return {};
  for (int i = 0; i < kTries && word != 0; ++i) {
    const SampledThread owner =
        word == kAnonymous ? HolderByLockStacks(jni, *vm, object) : OwnerOf(*vm, word, ids);
    const int64_t found_for = word;
    if (!LoadOwner(*vm, java_thread, &word)) return {};
    if (word == found_for) return owner;
  }
  return {};
}

}  // namespace jprof
