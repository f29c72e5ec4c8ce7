// What the agent answers, and jprof looks for, where a JVM is not yet far enough to be profiled.
#pragma once

namespace jprof {

inline constexpr char kJvmIsStarting[] = "the JVM is still starting: try again in a moment";

}  // namespace jprof
