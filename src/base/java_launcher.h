// What the java launcher takes from its command line before the program begins. Thread-safe: no
// state.
#pragma once

#include <string_view>

namespace jprof {

// Whether the value of this launcher option is the next argument.
bool LauncherOptionTakesNext(std::string_view argument);

// Whether the program itself comes after this option.
bool LauncherOptionNamesProgram(std::string_view argument);

}  // namespace jprof
