#include "base/modified_utf8.h"

#include <cstddef>
#include <cstdint>

#include "sigsafe/base/check.h"

namespace jprof {
namespace {

constexpr uint32_t kReplacement = 0xFFFD;
constexpr uint32_t kInvalid = 0xFFFFFFFF;

struct Decoded {
  uint32_t code_point;
  size_t length;
};

bool IsHighSurrogate(uint32_t code) { return code >= 0xD800 && code < 0xDC00; }
bool IsLowSurrogate(uint32_t code) { return code >= 0xDC00 && code < 0xE000; }

// Returns the code point that a sequence of `length` bytes encodes. `head` has the bits that the
// first byte contributes. Returns kInvalid if a byte is missing or is not a continuation byte, or
// if the code point is below `lowest`, and so would fit in fewer bytes.
uint32_t Sequence(std::string_view text, uint32_t head, size_t length, uint32_t lowest) {
  if (text.size() < length) return kInvalid;
  uint32_t code = head;
  for (size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if ((byte & 0xC0) != 0x80) return kInvalid;
    code = code << 6 | (byte & 0x3Fu);
  }
  return code >= lowest ? code : kInvalid;
}

// Decodes one character of UTF-8, or one unit of modified UTF-8. Such a unit can be a surrogate.
// REQUIRES: !text.empty().
Decoded DecodeUnit(std::string_view text) {
  JPROF_CHECK(!text.empty());
  const auto first = static_cast<uint8_t>(text[0]);
  if (first < 0x80) return {first, 1};
  if (text.starts_with("\xC0\x80")) return {0, 2};
  if ((first & 0xE0) == 0xC0) return {Sequence(text, first & 0x1Fu, 2, 0x80), 2};
  if ((first & 0xF0) == 0xE0) return {Sequence(text, first & 0x0Fu, 3, 0x800), 3};
  if ((first & 0xF8) == 0xF0) return {Sequence(text, first & 0x07u, 4, 0x10000), 4};
  return {kInvalid, 1};
}

// Decodes one character. In a malformed sequence, each byte becomes a replacement character. A lone
// surrogate becomes a single replacement character.
Decoded DecodeCharacter(std::string_view text) {
  const Decoded unit = DecodeUnit(text);
  if (unit.code_point > 0x10FFFF) return {kReplacement, 1};
  if (IsLowSurrogate(unit.code_point)) return {kReplacement, unit.length};
  if (!IsHighSurrogate(unit.code_point)) return unit;
  const std::string_view rest = text.substr(unit.length);
  const Decoded low = rest.empty() ? Decoded{kInvalid, 0} : DecodeUnit(rest);
  if (!IsLowSurrogate(low.code_point)) return {kReplacement, unit.length};
  const uint32_t code = 0x10000 + ((unit.code_point - 0xD800) << 10) + (low.code_point - 0xDC00);
  return {code, unit.length + low.length};
}

}  // namespace

void AppendUtf8(std::string& out, uint32_t code) {
  const auto continuation = [&](int shift) {
    out += static_cast<char>(0x80 | ((code >> shift) & 0x3F));
  };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    continuation(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    continuation(6);
    continuation(0);
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

std::string Utf8FromModifiedUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded character = DecodeCharacter(text);
    AppendUtf8(out, character.code_point);
    text.remove_prefix(character.length);
  }
  return out;
}

}  // namespace jprof
