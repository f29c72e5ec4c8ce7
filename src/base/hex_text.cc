#include "base/hex_text.h"

namespace jprof {

void AppendHex(uint64_t number, std::string& text) {
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[number >> shift & 15];
}

std::string HexText(uint64_t number) {
  std::string text;
  AppendHex(number, text);
  return text;
}

}  // namespace jprof
