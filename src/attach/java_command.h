// JavaProgramOf: the program of a java command line.
//
// Thread-safe: no state.
#pragma once

#include <string>
#include <vector>

namespace jprof {

// The main class, the jar's path (-jar), or the module (-m); for a launcher other than java, the
// launcher's name; empty if unknown (java with @argfiles).
std::string JavaProgramOf(const std::vector<std::string>& arguments);

}  // namespace jprof
