// Ids as tracers write them: the 16 hexadecimal digits of 8 bytes, with leading zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace jprof {

// RandomHex: random text for names and tokens that nobody can guess. Any thread.

// `bytes` of the kernel's generator, two lower-case digits each. Waits for the generator only while
// the machine boots. REQUIRES: bytes <= 256, which the kernel never returns in part.
Result<std::string> RandomHex(size_t bytes);

void AppendHex(uint64_t number, std::string& text);

std::string HexText(uint64_t number);

}  // namespace jprof
