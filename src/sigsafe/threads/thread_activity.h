// ThreadActivity: the activity of a thread at a sample.
#pragma once

#include <cstdint>

namespace jprof {

enum class ThreadActivity : uint8_t {
  kDefault,  // not determined. A cpu sample's thread was running by construction
  kRunning,
  kWaitingForCpu,  // runnable, but without a processor
  kSleeping,       // in the kernel, for a time or an event of unknown kind
  kParked,
  kInObjectWait,
  kBlockedOnMonitor,
  kInIo,  // reading, writing, or waiting for readiness
};

// Whether the thread waits: its stack does not change until it runs again.
constexpr bool IsWaiting(ThreadActivity activity) { return activity >= ThreadActivity::kSleeping; }

}  // namespace jprof
