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

// Returns the samples of `type` that belong to the thread `name`.
std::vector<Event> SamplesOf(const Recording& recording, const std::string& type,
                             const std::string& name);

// Returns the nanoseconds that the samples of `type` stand for, by thread name. An ExecutionSample
// stands for one interval, a WallClockSample for as many as its field `samples` says.
std::map<std::string, double> NanosByThread(const Recording& recording, const std::string& type,
                                            std::chrono::nanoseconds interval);

// Returns, for each sample that refers to something that the file lacks, a text that names it;
// empty if the recording is sound. A missing Java name is no fault, because threads of the VM have
// none.
std::vector<std::string> UnresolvedReferences(const Recording& recording);

}  // namespace jprof::test
