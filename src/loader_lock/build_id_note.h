// Finds the build id in the notes of an ELF file. The notes are never trusted.
#pragma once

#include <string_view>

namespace jprof {

// Returns the bytes of the build id, as part of `notes`: the content of one PT_NOTE segment or
// SHT_NOTE section; empty if there is none.
std::string_view FindBuildIdNote(std::string_view notes);

inline constexpr char kHexDigits[] = "0123456789abcdef";

// True if `digits` is `bytes` in lower-case hexadecimal digits.
bool IsHexOf(std::string_view digits, std::string_view bytes);

}  // namespace jprof
