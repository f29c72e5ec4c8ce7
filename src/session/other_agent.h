// OtherAgentAtWork: whether another copy of this library records in this JVM.
//
// A library that is loaded from two paths is two libraries to the dynamic linker, each with its own
// session. The other may be of any version, so a recording is recognised by a thing that all
// versions have: the recorder's thread. Outside handlers; Thread-safe.
#pragma once

#include <optional>
#include <string>

namespace jprof {

// The path of the other copy, as far as it is known. REQUIRES: no session of ours is running.
std::optional<std::string> OtherAgentAtWork();

}  // namespace jprof
