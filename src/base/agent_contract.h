// The contract between the agent and jprof, across versions of both: its number, and names in the
// file system and in /proc. Answers are in answers/agent_answer.h, the agent's options in
// options/options.def.
#pragma once

#include <cstdint>
#include <string_view>

namespace jprof {

// The number of the contract that agent and jprof are built with. It grows by one in each release
// that adds, changes or removes an option, a command, or a fact that jprof shows: of two numbers the
// lower one is that of the older program. A change that an older jprof cannot read past is a new
// layout of the answer instead.
inline constexpr uint32_t kAgentContract = 1;

// The agent's library: jprof recognises a loaded agent by the end of a mapped file's name.
inline constexpr std::string_view kAgentFileName = "libprofiler.so";

// The kernel's name of the thread that exists while a recording runs. jprof list and other copies
// of the agent detect the recording by this name.
inline constexpr char kRecorderThreadName[] = "jprof-recorder";

// Prefixes of the files that jprof names in the target's /tmp. The agent removes only leases with
// this prefix.
inline constexpr std::string_view kLeasePrefix = ".jprof-lease-";
inline constexpr std::string_view kAnswerPrefix = ".jprof-answer-";

// Prefix of the name of an answer whose caller can be seen to wait for it: for as long as it does,
// it holds a lock (flock) on the lease beside the answer that ends with the same digits. The agent
// executes no command whose caller has gone.
inline constexpr std::string_view kAwaitedPrefix = ".jprof-awaited-";

// The place for a recording, in a lease, that is of no use without the jprof that started it.
inline constexpr std::string_view kKeepNothing = "/dev/null";

}  // namespace jprof
