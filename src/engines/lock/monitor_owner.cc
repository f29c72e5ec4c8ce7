#include "engines/lock/monitor_owner.h"

#include "sigsafe/sampling/sampling_state.h"
#include "sigsafe/stack/walk_scope.h"
#include "sigsafe/threads/thread_records.h"

namespace jprof {
namespace {

// ANONYMOUS_OWNER and DEFLATER_MARKER.
constexpr int64_t kLargestMarker = 2;

}  // namespace

int64_t OwnerWord(JNIEnv* jni) {
  const WalkScope scope;
  if (!scope) return 0;
  const HotspotLayout* const vm = scope.environment().vm;
  if (vm == nullptr || scope.environment().faults != LoadFaults::kCaught ||
      !vm->thread_pending_monitor.exists() || !vm->monitor_owner.exists()) {
    return 0;
  }
  int64_t monitor = 0;
  int64_t owner = 0;
  if (!vm->thread_pending_monitor.Load(JavaThreadOf(jni, vm->env_offset), &monitor)) return 0;
  if (monitor == 0) return 0;
  return vm->monitor_owner.Load(static_cast<uint64_t>(monitor), &owner) ? owner : 0;
}

SampledThread OwnerOf(int64_t word, const ThreadIds& ids) {
  const HotspotLayout* const vm = TheWalkEnvironment().vm;
  if (vm == nullptr || (word >= 0 && word <= kLargestMarker)) return {};
  if (vm->thread_current_id.exists()) {
    return ThreadIds::Sampled(word, ids.has_virtual() && ThreadIds::RecordOf(word) == nullptr);
  }
  ThreadRecords* const records = GetThreadRecords();
  const uint32_t end = records == nullptr ? 0 : records->HighWater();
  const auto address = static_cast<uint64_t>(word);
  for (uint32_t index = 0; index < end; ++index) {
    const ProfiledThread& thread = *records->At(index);
    const void* const jni = thread.jni_env.load(std::memory_order_acquire);
    const Tid tid = thread.tid.load(std::memory_order_acquire);
    if (jni == nullptr || Value(tid) == 0) continue;
    const bool is_on_stack = address >= thread.stack_low.load(std::memory_order_relaxed) &&
                             address < thread.stack_high.load(std::memory_order_relaxed);
    if (!is_on_stack && JavaThreadOf(jni, vm->env_offset) != address) continue;
    return SampledThread::Platform(thread.serial.load(std::memory_order_relaxed), tid);
  }
  return {};
}

}  // namespace jprof
