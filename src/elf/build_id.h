// FindBuildId: the build id in the notes of an ELF file, as lower-case hexadecimal digits.
//
// `notes` is the content of one PT_NOTE segment or SHT_NOTE section, never trusted. Empty if it
// holds no build id. Thread-safe; not for handlers.
#pragma once

#include <string>
#include <string_view>

namespace jprof {

std::string FindBuildId(std::string_view notes);

// Returns the bytes of a build id as such digits.
std::string BuildIdText(std::string_view bytes);

}  // namespace jprof
