#include "sigsafe/hotspot/java_thread.h"

namespace jprof {
namespace {

constexpr int64_t kMaxTid = 1 << 22;  // Linux v6.1 include/linux/threads.h, PID_MAX_LIMIT

// Returns the value of the field of `object`; nullopt if this JVM does not have the field, or if
// the field is unreadable.
std::optional<int64_t> ValueAt(const VmField& field, LoadFaults faults, uint64_t object) {
  int64_t value = 0;
  if (object == 0 || !field.exists()) return std::nullopt;
  const bool read =
      faults == LoadFaults::kCaught ? field.Load(object, &value) : field.LoadSafely(object, &value);
  return read ? std::optional<int64_t>(value) : std::nullopt;
}

std::optional<int64_t> OsThreadValueAt(const HotspotLayout& vm, const VmField& field,
                                       LoadFaults faults, uint64_t java_thread) {
  const std::optional<int64_t> os_thread = ValueAt(vm.thread_osthread, faults, java_thread);
  return os_thread ? ValueAt(field, faults, static_cast<uint64_t>(*os_thread)) : std::nullopt;
}

bool SetBounds(int64_t base, int64_t size, StackBounds* stack) {
  if (size <= 0 || base <= size) return false;
  *stack = {static_cast<uint64_t>(base - size), static_cast<uint64_t>(base)};
  return true;
}

}  // namespace

bool LoadAnchor(const HotspotLayout& vm, uint64_t address, JavaFrameAnchor* anchor) {
  int64_t sp = 0;
  int64_t pc = 0;
  int64_t fp = 0;
  if (!vm.anchor_sp.Load(address, &sp) || !vm.anchor_pc.Load(address, &pc) ||
      !vm.anchor_fp.Load(address, &fp)) {
    return false;
  }
  *anchor = {static_cast<uint64_t>(sp), static_cast<uint64_t>(pc), static_cast<uint64_t>(fp)};
  if (anchor->sp == 0 || anchor->pc != 0) return true;
  // If the pc is 0, as after a call from Java code, the return address below sp is the pc
  // (jdk-17+35 src/hotspot/cpu/x86/frame_x86.cpp, JavaFrameAnchor::capture_last_Java_pc).
  return GuardedLoad(anchor->sp - sizeof(uint64_t), &anchor->pc);
}

bool LoadStackBounds(const HotspotLayout& vm, uint64_t java_thread, StackBounds* stack) {
  int64_t base = 0;
  int64_t size = 0;
  return vm.thread_stack_base.Load(java_thread, &base) &&
         vm.thread_stack_size.Load(java_thread, &size) && SetBounds(base, size, stack);
}

StackBounds SafeStackBoundsOf(const HotspotLayout& vm, uint64_t java_thread) {
  const std::optional<int64_t> base =
      ValueAt(vm.thread_stack_base, LoadFaults::kFatal, java_thread);
  const std::optional<int64_t> size =
      ValueAt(vm.thread_stack_size, LoadFaults::kFatal, java_thread);
  StackBounds stack;
  return base && size && SetBounds(*base, *size, &stack) ? stack : StackBounds();
}

std::optional<Tid> SafeThreadIdOf(const HotspotLayout& vm, uint64_t java_thread) {
  const std::optional<int64_t> tid =
      OsThreadValueAt(vm, vm.osthread_thread_id, LoadFaults::kFatal, java_thread);
  if (!tid || *tid <= 0 || *tid > kMaxTid) return std::nullopt;
  return Tid{static_cast<int32_t>(*tid)};
}

std::optional<int32_t> WaitStateOf(const HotspotLayout& vm, LoadFaults faults,
                                   uint64_t java_thread) {
  const std::optional<int64_t> state = OsThreadValueAt(vm, vm.osthread_state, faults, java_thread);
  return state ? std::optional<int32_t>(static_cast<int32_t>(*state)) : std::nullopt;
}

}  // namespace jprof
