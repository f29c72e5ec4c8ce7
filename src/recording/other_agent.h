// OtherAgentAtWork: whether another copy of this library is recording in this JVM.
//
// For the dynamic linker a library loaded from two paths is two libraries, each with its own
// recording. The other copy may be of any version, so its recording is recognised by the recorder's
// thread, which all versions have. Outside handlers; Thread-safe.
#pragma once

#include <optional>
#include <string>

namespace jprof {

// The path of the other copy, if known. REQUIRES: no recording of this copy is running.
std::optional<std::string> OtherAgentAtWork();

}  // namespace jprof
