// OtherAgentAtWork: whether another copy of this library records in this JVM.
//
// A library that is loaded from two paths is two libraries to the dynamic linker, each with its own
// session. They are of any version, so what shows a recording is what every version has: the
// recorder's thread. Outside handlers; Thread-safe.
#pragma once

#include <optional>
#include <string>

namespace jprof {

// The path of the other copy, as far as it is known. REQUIRES: no session of ours is running.
std::optional<std::string> OtherAgentAtWork();

}  // namespace jprof
