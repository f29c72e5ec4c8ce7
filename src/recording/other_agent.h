// FindRecordingAgent: detects whether another copy of this library is recording in this JVM.
//
// For the dynamic linker a library loaded from two paths is two libraries, each with its own
// recording. The other copy can be of any version, so its recording is recognised by the recorder's
// thread, which all versions have. Thread-safe; not for handlers.
#pragma once

#include <optional>
#include <string>

namespace jprof {

// Returns the path of the other copy if it is recording, else nullopt. REQUIRES: no recording of
// this copy is running.
std::optional<std::string> FindRecordingAgent();

}  // namespace jprof
