#include "sigsafe/asgst/thread_of_stack.h"

#include "sigsafe/hotspot/java_thread.h"
#include "sigsafe/os/guarded_load.h"
#include "sigsafe/os/raw_syscall.h"

namespace jprof::asgst {
namespace {

// More threads than a process has.
constexpr uint64_t kMostThreads = 1 << 22;
// The number of times that a list is read which the JVM replaces meanwhile.
constexpr int kAttempts = 4;

bool Exists(Tid tid) {
  const long process = RawSyscall(SYS_getpid);
  return RawSyscall(SYS_tgkill, process, Value(tid), 0) == 0;
}

bool HasStack(const ApiState& state, uint64_t thread, uint64_t address) {
  StackBounds stack;
  if (!LoadStackBounds(*state.vm, thread, &stack) || !stack.Contains(address) ||
      !IsJavaThread(state, thread)) {
    return false;
  }
  const std::optional<Tid> tid = SafeThreadIdOf(*state.vm, thread);
  return tid && Exists(*tid);
}

// Searches the array of threads that the JVM exports from JDK 14 on. Returns false if the JVM has
// another array now.
bool SearchArray(const ApiState& state, uint64_t address, uint64_t* found) {
  const ThreadListLayout& layout = state.threads;
  const auto at = reinterpret_cast<uint64_t>(layout.array);
  uint64_t list = 0;
  uint32_t length = 0;
  uint64_t first = 0;
  if (!GuardedLoad(at, &list) || !GuardedLoad(list + layout.length, &length) ||
      !GuardedLoad(list + layout.first_in_array, &first)) {
    return false;
  }
  *found = 0;
  for (uint64_t i = 0; i < length && i < kMostThreads && *found == 0; ++i) {
    uint64_t thread = 0;
    if (!GuardedLoad(first + i * kWordSize, &thread)) return false;
    if (HasStack(state, thread, address)) *found = thread;
  }
  uint64_t list_now = 0;
  return GuardedLoad(at, &list_now) && list_now == list;
}

// Searches the linked list of threads that the JVM exports up to JDK 13. Threads that are just added or
// removed can end the search early.
uint64_t SearchLinks(const ApiState& state, uint64_t address) {
  uint64_t thread = 0;
  if (!GuardedLoad(reinterpret_cast<uint64_t>(state.threads.first), &thread)) return 0;
  for (uint64_t i = 0; i < kMostThreads && thread != 0; ++i) {
    if (HasStack(state, thread, address)) return thread;
    if (!state.threads.next.LoadPointer(thread, &thread)) return 0;
  }
  return 0;
}

}  // namespace

uint64_t FindThreadOfStack(const ApiState& state, uint64_t address) {
  uint64_t found = 0;
  if (state.threads.array != nullptr) {
    for (int i = 0; i < kAttempts; ++i) {
      if (SearchArray(state, address, &found)) return found;
    }
  } else if (state.threads.first != nullptr) {
    for (int i = 0; i < kAttempts && found == 0; ++i) found = SearchLinks(state, address);
    return found;
  }
  return 0;
}

}  // namespace jprof::asgst
