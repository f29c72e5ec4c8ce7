// Facts about JDKs: the options of the java launcher, which precede the arguments of the program,
// and the version in the file `release` of a JDK.
//
// Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

namespace jprof {

// True if the value of this launcher option is the next argument.
bool LauncherOptionTakesNext(std::string_view argument);

// True if the argument after this option names the program.
bool LauncherOptionNamesProgram(std::string_view argument);

// Returns the value of JAVA_VERSION="25.0.3"; empty if `release` has none.
std::string JavaVersionIn(std::string_view release);

}  // namespace jprof
