// How much CPU time and memory this process, one of its threads and the machine have used, as the
// kernel counts them.
//
// Thread-safe; not for handlers. The parse functions take the text of the /proc file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sigsafe/base/types.h"

namespace jprof {

// CPU time since the process, or the thread, began.
struct CpuTimes {
  Nanos user_ns = 0;
  Nanos system_ns = 0;
};

CpuTimes ProcessCpuTimes();

// Of a thread of this process, to the kernel's clock tick (10 ms); nullopt: it has ended.
std::optional<CpuTimes> TaskCpuTimes(Tid tid);

// How often a thread of this process has been given a processor since it began. nullopt: it has
// ended, or this kernel does not count.
std::optional<uint64_t> TaskRuns(Tid tid);

// Clock ticks of all processors since boot.
struct MachineTicks {
  uint64_t busy = 0;
  uint64_t all = 0;
};

// The first line of /proc/stat. nullopt: it has another form.
std::optional<MachineTicks> ParseMachineTicks(std::string_view stat);
std::optional<MachineTicks> ReadMachineTicks();

struct ResidentSet {
  int64_t size_bytes = 0;
  int64_t peak_bytes = 0;
};

// VmRSS and VmHWM of /proc/self/status. nullopt: they are not there.
std::optional<ResidentSet> ParseResidentSet(std::string_view status);
std::optional<ResidentSet> ReadResidentSet();

}  // namespace jprof
