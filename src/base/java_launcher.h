// The options that the java launcher consumes before the arguments of the program.
//
// Thread-safe: no state.
#pragma once

#include <string_view>

namespace jprof {

// True if the value of this launcher option is the next argument.
bool LauncherOptionTakesNext(std::string_view argument);

// True if the argument after this option names the program.
bool LauncherOptionNamesProgram(std::string_view argument);

}  // namespace jprof
