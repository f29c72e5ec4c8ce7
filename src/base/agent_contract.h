// What the agent and jprof have to agree on, and programs of another version with them: names in
// the file system and in /proc, and sentences that one side looks for in what the other says. Their
// answers: agent_answer.h; the agent's options: session/options/options.def.
#pragma once

#include <string_view>

namespace jprof {

// The agent's library: jprof finds a loaded agent by the end of the name of a mapped file.
inline constexpr std::string_view kAgentFileName = "libprofiler.so";

// The kernel's name of the thread that exists while a recording runs: by it jprof list and another
// copy of the agent see the recording.
inline constexpr char kRecorderThreadName[] = "jprof-recorder";

// Files that jprof names in the target's /tmp. The agent removes a lease that has such a name.
inline constexpr std::string_view kLeasePrefix = ".jprof-lease-";
inline constexpr std::string_view kAnswerPrefix = ".jprof-answer-";

// The agent's error where a recording is under way that must end first begins with this,
inline constexpr char kAlreadyRecording[] = "already recording";
// and this is its error where a JVM is not yet far enough to be profiled.
inline constexpr char kJvmIsStarting[] = "the JVM is still starting: try again in a moment";

}  // namespace jprof
