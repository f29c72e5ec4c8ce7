// MoveCodeTable: tables of a Code attribute that name places in the code, after the code has moved.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "instrument/code_layout.h"

namespace jprof::instrument {

// Corrects in place the content of the attribute of that name: line numbers, local variables, type
// annotations; others are left alone. Stack maps are not its business. False if it is malformed.
bool MoveCodeTable(std::string_view name, std::span<uint8_t> content, const Code& code,
                   const CodeLayout& layout);

}  // namespace jprof::instrument
