// Sums and selections of the samples of a recording.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/jvm/recording.h"

namespace jprof::test {

inline constexpr char kExecutionSample[] = "jdk.ExecutionSample";
inline constexpr char kWallClockSample[] = "profiler.WallClockSample";

// True if the sample is of a virtual thread.
bool IsVirtual(const Event& sample);

// Returns the Java name of the sampled thread, or the kernel's name if it has none. A virtual
// thread has no kernel name, and usually an empty Java name.
std::string ThreadName(const Event& sample);

// Returns the samples of `type` of the thread `name`.
std::vector<Event> SamplesOf(const Recording& recording, const std::string& type,
                             const std::string& name);

// Returns the nanoseconds that the samples of `type` stand for, by thread name: an ExecutionSample
// stands for one interval, a WallClockSample for `samples` of them.
std::map<std::string, double> NanosByThread(const Recording& recording, const std::string& type,
                                            std::chrono::nanoseconds interval);

// Returns the references of sample events that resolve to nothing, with what they lack: empty if
// the recording is sound. Threads of the VM have no Java name, so a missing one is no fault.
std::vector<std::string> UnresolvedReferences(const Recording& recording);

}  // namespace jprof::test
