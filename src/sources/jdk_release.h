// JdkVersionOf: which JDK an archive of sources belongs to. Thread-safe: no state.
#pragma once

#include <string>

namespace jprof {

// "25.0.3", from the file `release` of the JDK whose src.zip this is; empty: of none.
std::string JdkVersionOf(const std::string& archive);

}  // namespace jprof
