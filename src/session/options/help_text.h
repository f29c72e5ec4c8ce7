// HelpText: the output of the command help, generated from the option table.
//
// Called by the session on whichever thread brought the command. Thread-safe: no state.
#pragma once

#include <string>

namespace jprof {

// One screen: less than 40 lines of at most 100 columns.
std::string HelpText();

}  // namespace jprof
