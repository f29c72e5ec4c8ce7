// CPU time and memory used by this process, its threads and the machine, as counted by the kernel.
//
// Thread-safe; not for signal handlers. Each parse function takes the text of a file in /proc.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sigsafe/base/types.h"

namespace jprof {

// The CPU time since the start of the process or of the thread.
struct CpuTimes {
  Nanos user_ns = 0;
  Nanos system_ns = 0;
};

CpuTimes ProcessCpuTimes();

// Returns the CPU times of a thread of this process, exact to the kernel's clock tick (10 ms);
// nullopt if the thread has exited.
std::optional<CpuTimes> TaskCpuTimes(Tid tid);

// How long a thread has waited for a processor while it was ready to run, and how often it was
// given a processor. Both count from the start of the thread. A wait is counted when it has ended.
struct RunQueueCounts {
  Nanos waited_ns = 0;
  uint64_t runs = 0;
};

// Returns the counts of a thread of this process; nullopt if the thread has exited or the kernel
// does not report them.
std::optional<RunQueueCounts> TaskRunQueue(Tid tid);

// Clock ticks of all processors since boot.
struct MachineTicks {
  uint64_t busy = 0;
  uint64_t all = 0;
};

// Parses the first line of /proc/stat. Returns nullopt if its format is unknown.
std::optional<MachineTicks> ParseMachineTicks(std::string_view stat);
std::optional<MachineTicks> ReadMachineTicks();

struct ResidentSet {
  int64_t size_bytes = 0;
  int64_t peak_bytes = 0;
};

// Parses VmRSS and VmHWM in the text of /proc/self/status. Returns nullopt if they are missing.
std::optional<ResidentSet> ParseResidentSet(std::string_view status);
std::optional<ResidentSet> ReadResidentSet();

}  // namespace jprof
