// The contract between the agent and jprof, whose versions can differ. The contract consists of a
// number, and of the names of files and threads that both sides rely on. See answers/agent_answer.h
// for answers and options/options.def for the agent's options.
#pragma once

#include <cstdint>
#include <string_view>

namespace jprof {

// The number of the contract that agent and jprof are built with. The number grows by one in each
// release that adds, changes or removes an option, a command, or a fact that jprof shows. So the
// side with the lower number is older. The number does not grow for a change of answers that an
// older jprof could not skip: such answers get a new layout (answers/agent_answer.h).
inline constexpr uint32_t kAgentContract = 1;

// The agent's library: jprof recognises a loaded agent by the end of a mapped file's name.
inline constexpr std::string_view kAgentFileName = "libprofiler.so";

// The name, as the kernel shows it, of the thread that exists while a recording runs. jprof list
// and other copies of the agent detect the recording by this name.
inline constexpr char kRecorderThreadName[] = "jprof-recorder";

// The prefixes of the names that jprof gives to files in the target's /tmp. The agent removes a
// lease (recording/caller_lease.h) only if the name of the lease starts with kLeasePrefix.
inline constexpr std::string_view kLeasePrefix = ".jprof-lease-";
inline constexpr std::string_view kAnswerPrefix = ".jprof-answer-";

// The prefix of the name of an answer file if jprof uses a lock to show the agent that it waits for
// the answer. While jprof waits, it holds the lock (flock) on a lease, which is a file in the
// folder of the answer file. The names of both files end with the same digits. If no process holds
// the lock, jprof no longer waits, and the agent does not execute the command.
inline constexpr std::string_view kAwaitedPrefix = ".jprof-awaited-";

// A recording for which the agent calls AsyncGetCallTrace has a note beside it, whose name is that of
// the recording with this suffix (sigsafe/validation/agct_calls.h).
inline constexpr std::string_view kAgctNoteSuffix = ".agct";

// A lease with this fallback path makes the agent delete the recording, which is useless without
// the jprof that started it.
inline constexpr std::string_view kKeepNothing = "/dev/null";

}  // namespace jprof
