// Ids as tracers write them: the 16 hexadecimal digits of 8 bytes, with leading zeros.
#pragma once

#include <cstdint>
#include <string>

namespace jprof {

void AppendHex(uint64_t number, std::string& text);

std::string HexText(uint64_t number);

}  // namespace jprof
