// The build id in the notes of an ELF file, as lower-case hexadecimal digits.
//
// Thread-safe; not for signal handlers.
#pragma once

#include <string>
#include <string_view>

namespace jprof {

// Returns the build id in `notes`, the content of one PT_NOTE segment or SHT_NOTE section, which is
// never trusted; empty if it contains no build id.
std::string FindBuildId(std::string_view notes);

// Returns the bytes of a build id as lower-case hexadecimal digits.
std::string BuildIdText(std::string_view bytes);

}  // namespace jprof
