// The names of the states of threads, as people write them.
//
// Thread-safe: no state.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jprof {

// Returns the JFR names of the states in our recordings, in the order of thread_states.def.
std::span<const std::string_view> ThreadStateNames();

// Returns "in-object-wait" for "STATE_IN_OBJECT_WAIT", and "running" for STATE_DEFAULT, the state
// of a thread on a CPU. Returns an empty text for an empty name, which means that the state was not
// recorded.
std::string StateText(std::string_view jfr_name);

// Splits states joined by + or a comma, and returns each in the form of StateText: "in io" and
// "STATE_IN_IO" become "in-io".
std::vector<std::string> ParseStates(std::string_view text);

}  // namespace jprof
