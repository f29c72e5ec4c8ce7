// JavaProgramOf: what a java command line runs.
//
// Thread-safe: no state.
#pragma once

#include <string>
#include <vector>

namespace jprof {

// The main class, the jar's path (-jar), or the module (-m); of a launcher that is not java, the
// launcher's name; empty if the command line does not say (java reading it from @argfiles).
std::string JavaProgramOf(const std::vector<std::string>& arguments);

}  // namespace jprof
