#include "sigsafe/asgst/thread_state.h"

#include "sigsafe/asgst/stack_iterator.h"
#include "sigsafe/hotspot/java_thread.h"

namespace jprof::asgst {
namespace {

// Bits of JVMTI's thread states (JVM Tool Interface 17, GetThreadState).
constexpr int32_t kAlive = 0x1;
constexpr int32_t kTerminated = 0x2;
constexpr int32_t kRunnable = 0x4;
constexpr int32_t kWaitingIndefinitely = 0x10;
constexpr int32_t kSleeping = 0x40;
constexpr int32_t kWaiting = 0x80;
constexpr int32_t kInObjectWait = 0x100;
constexpr int32_t kParked = 0x200;
constexpr int32_t kBlockedOnMonitor = 0x400;
constexpr int32_t kInNative = 0x400000;

// Values of OSThread's state beside those of hotspot/java_thread.h (jdk-17+35
// src/hotspot/share/runtime/osThread.hpp, ThreadState).
constexpr int32_t kSleepingThread = 7;
constexpr int32_t kZombie = 8;
// _thread_in_native (jdk-17+35 src/hotspot/share/utilities/globalDefinitions.hpp, JavaThreadState).
constexpr int64_t kThreadInNative = 4;

int32_t BitsOf(int32_t os_state) {
  switch (os_state) {
    case kMonitorWait:
      return kAlive | kBlockedOnMonitor;
    case kCondvarWait:
      return kAlive | kWaiting | kWaitingIndefinitely | kParked;
    case kObjectWait:
      return kAlive | kWaiting | kWaitingIndefinitely | kInObjectWait;
    case kSleepingThread:
      return kAlive | kWaiting | kSleeping;
    case kZombie:
      return kTerminated;
    default:
      return kAlive | kRunnable;
  }
}

}  // namespace

int32_t ThreadStateNow(const ApiState& state) {
  const uint64_t java_thread = RunningJavaThread(state);
  if (java_thread == 0) return kNoThread;
  const HotspotLayout& vm = *state.vm;
  const std::optional<int32_t> os_state = WaitStateOf(vm, LoadFaults::kCaught, java_thread);
  int32_t bits = os_state ? BitsOf(*os_state) : kAlive | kRunnable;
  int64_t thread_state = 0;
  const VmField& field = state.thread_state;
  if (field.exists() && field.Load(java_thread, &thread_state) && thread_state == kThreadInNative &&
      bits != kTerminated) {
    bits |= kInNative;
  }
  return bits;
}

}  // namespace jprof::asgst
