// Finds the build id in the notes of an ELF file. The notes are never trusted.
#pragma once

#include <string_view>

namespace jprof {

// Returns the bytes of the build id, which are part of `notes`; empty if there is no build id.
// `notes` is the content of one PT_NOTE segment or SHT_NOTE section.
std::string_view FindBuildIdNote(std::string_view notes);

inline constexpr char kHexDigits[] = "0123456789abcdef";

// True if `digits` are the bytes in lower-case hexadecimal.
bool IsHexOf(std::string_view digits, std::string_view bytes);

}  // namespace jprof
