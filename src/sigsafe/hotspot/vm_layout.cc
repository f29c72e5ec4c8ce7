#include "sigsafe/hotspot/vm_layout.h"

#include "sigsafe/os/safe_load.h"

namespace jprof {
namespace {

constexpr int32_t kMaxTid = 1 << 22;  // Linux v6.1 include/linux/threads.h, PID_MAX_LIMIT

const void* FieldAddress(uint64_t object, uint32_t offset) {
  return reinterpret_cast<const void*>(object + offset);
}

}  // namespace

StackBounds VmLayout::StackOf(const void* java_thread) const {
  if (java_thread == nullptr || !thread_stack_base || !thread_stack_size) return {};
  const auto thread = reinterpret_cast<uint64_t>(java_thread);
  StackBounds stack;
  uint64_t size = 0;
  if (!SafeLoad(FieldAddress(thread, *thread_stack_base), &stack.high) ||
      !SafeLoad(FieldAddress(thread, *thread_stack_size), &size) || size >= stack.high) {
    return {};
  }
  stack.low = stack.high - size;
  return stack;
}

// 0: not known.
uint64_t VmLayout::OsThreadOf(const void* java_thread) const {
  if (java_thread == nullptr || !thread_osthread) return 0;
  uint64_t os_thread = 0;
  const auto thread = reinterpret_cast<uint64_t>(java_thread);
  return SafeLoad(FieldAddress(thread, *thread_osthread), &os_thread) ? os_thread : 0;
}

std::optional<Tid> VmLayout::ThreadIdOf(const void* java_thread) const {
  if (!osthread_thread_id) return std::nullopt;
  const uint64_t os_thread = OsThreadOf(java_thread);
  if (os_thread == 0) return std::nullopt;
  // pid_t on Linux: jdk-17+35 src/hotspot/os/linux/osThread_linux.hpp, OSThread::thread_id_t.
  int32_t tid = 0;
  if (!SafeLoad(FieldAddress(os_thread, *osthread_thread_id), &tid)) return std::nullopt;
  if (tid <= 0 || tid > kMaxTid) return std::nullopt;
  return Tid{tid};
}

std::optional<int32_t> VmLayout::WaitStateOf(const void* java_thread) const {
  if (!osthread_state) return std::nullopt;
  const uint64_t os_thread = OsThreadOf(java_thread);
  int32_t state = 0;
  if (os_thread == 0 || !SafeLoad(FieldAddress(os_thread, *osthread_state), &state)) {
    return std::nullopt;
  }
  return state;
}

}  // namespace jprof
