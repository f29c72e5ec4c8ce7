// What the samples of a recording add up to.
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

// Whether it is a virtual thread that was sampled.
bool IsVirtual(const Event& sample);

// The Java name of the sampled thread, else the name the kernel knows it by. Virtual threads have
// none of the kernel's, and mostly an empty one.
std::string ThreadName(const Event& sample);

// The samples of `type` of the thread `name`.
std::vector<Event> SamplesOf(const Recording& recording, const std::string& type,
                             const std::string& name);

// Nanoseconds that the samples of `type` stand for, per thread name: an ExecutionSample stands
// for one interval, a WallClockSample for `samples` of them.
std::map<std::string, double> NanosByThread(const Recording& recording, const std::string& type,
                                            std::chrono::nanoseconds interval);

// References of sample events that resolve to nothing, with what they are missing: empty if the
// recording is sound. Threads of the VM have no Java name, so that one may be missing.
std::vector<std::string> UnresolvedReferences(const Recording& recording);

}  // namespace jprof::test
