// ThreadActivity: what a thread was found doing.
#pragma once

#include <cstdint>

namespace jprof {

enum class ThreadActivity : uint8_t {
  kDefault,  // not told apart. A cpu sample: it was running by construction
  kRunning,
  kWaitingForCpu,  // it could run and was not let
  kSleeping,       // in the kernel, for a time or for an event that nothing tells more about
  kParked,
  kInObjectWait,
  kBlockedOnMonitor,
  kInIo,  // reading, writing, or waiting until it can
};

// Whether the thread waits: until it runs again its stack stays as it is.
constexpr bool IsWaiting(ThreadActivity activity) { return activity >= ThreadActivity::kSleeping; }

}  // namespace jprof
