// JavaVersionIn: the version of a JDK, from the text of the file `release` in its folder.
//
// Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

namespace jprof {

// Returns the value of JAVA_VERSION="25.0.3"; empty if `release` has none.
std::string JavaVersionIn(std::string_view release);

}  // namespace jprof
