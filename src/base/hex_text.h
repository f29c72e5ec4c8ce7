// Hexadecimal text: random names, and ids as tracers write them.
//
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace jprof {

// Returns random text for names and tokens that other programs cannot guess: `bytes` bytes of the
// kernel's generator, as two lower-case digits each. Waits for the generator only while the machine
// boots. REQUIRES: bytes <= 256, an amount that the kernel never returns in part.
Result<std::string> RandomHex(size_t bytes);

// Appends the number as 16 lower-case digits, with leading zeros.
void AppendHex(uint64_t number, std::string& text);

// Returns the digits that AppendHex appends.
std::string HexText(uint64_t number);

}  // namespace jprof
