// HelpText: the output of the command help, generated from the option table.
//
// Called by RecordingControl on whichever thread brought the command. Thread-safe: no state.
#pragma once

#include <string>

namespace jprof {

// The commands, and each option with what its values mean, in lines of at most kHelpWidth columns.
std::string HelpText();

}  // namespace jprof
