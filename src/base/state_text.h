// Names of the states of threads, as people write them. Thread-safe: no state.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jprof {

// Returns the names of the states that our recordings have, in the order of thread_states.def.
std::span<const std::string_view> ThreadStateNames();

// "STATE_IN_OBJECT_WAIT" -> "in-object-wait". STATE_DEFAULT, of a thread on a CPU, is "running";
// empty stays empty: not recorded.
std::string StateText(std::string_view jfr_name);

// Splits words joined by + or a comma, and returns each in the form of StateText: "in io" and
// "STATE_IN_IO" as "in-io".
std::vector<std::string> ParseStates(std::string_view text);

}  // namespace jprof
