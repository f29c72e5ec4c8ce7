// The contract between the agent and jprof, across versions of both: its number, and names in the
// file system and in /proc. See answers/agent_answer.h for answers and options/options.def for the
// agent's options.
#pragma once

#include <cstdint>
#include <string_view>

namespace jprof {

// The number of the contract that agent and jprof are built with. It grows by one in each release
// that adds, changes or removes an option, a command, or a fact that jprof shows, so the program
// with the lower number is the older one. A change that an older jprof cannot skip while reading is
// a new layout of the answer instead.
inline constexpr uint32_t kAgentContract = 1;

// The agent's library: jprof recognises a loaded agent by the end of a mapped file's name.
inline constexpr std::string_view kAgentFileName = "libprofiler.so";

// The name, as the kernel shows it, of the thread that exists while a recording runs. jprof list
// and other copies of the agent detect the recording by this name.
inline constexpr char kRecorderThreadName[] = "jprof-recorder";

// Prefixes of the files that jprof names in the target's /tmp. The agent removes only leases with
// this prefix.
inline constexpr std::string_view kLeasePrefix = ".jprof-lease-";
inline constexpr std::string_view kAnswerPrefix = ".jprof-answer-";

// The prefix of the name of an answer whose caller shows that it waits: while it waits, it holds a
// lock (flock) on the lease in the same folder whose name ends with the same digits. The agent
// executes no command whose caller has gone.
inline constexpr std::string_view kAwaitedPrefix = ".jprof-awaited-";

// The fallback path, in a lease, for a recording that is useless without the jprof that started it.
inline constexpr std::string_view kKeepNothing = "/dev/null";

}  // namespace jprof
