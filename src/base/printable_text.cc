#include "base/printable_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace jprof {
namespace {

struct Range {
  uint32_t first;
  uint32_t last;
};

constexpr uint32_t kReplacementInJson = 0xFFFD;

// The unprintable characters other than the C0 controls.
constexpr auto kUnprintable = std::to_array<Range>({
    {0x7F, 0x9F},        // DEL and the C1 controls, which start escape sequences too
    {0x61C, 0x61C},      // Arabic letter mark
    {0x200B, 0x200F},    // zero-width characters, direction marks
    {0x2028, 0x202E},    // line and paragraph separators, direction embeddings and overrides
    {0x2060, 0x206F},    // invisible characters, direction isolates
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFF9, 0xFFFB},    // interlinear annotation
    {0xE0000, 0xE007F},  // tags
});

struct Character {
  uint32_t code;
  size_t length;  // number of bytes; 0 if the text does not start with valid UTF-8
};

// Decodes the first character. Accepts only the shortest form, no surrogates, and no code beyond
// U+10FFFF.
Character FirstOf(std::string_view text) {
  const auto byte = [text](size_t at) { return static_cast<uint8_t>(text[at]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {0, 0};
  uint32_t code = lead & (0x7FU >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {0, 0};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {0, 0};
  return {code, length};
}

bool IsPrintable(uint32_t code, Layout layout) {
  if (code < 0x20) return layout != Layout::kEscape && (code == '\n' || code == '\t');
  return std::none_of(kUnprintable.begin(), kUnprintable.end(), [code](const Range& range) {
    return code >= range.first && code <= range.last;
  });
}

void AppendEscaped(std::string& out, uint32_t code, Layout layout) {
  char escaped[16];
  if (layout == Layout::kJson && code > 0xFFFF) {
    const uint32_t offset = code - 0x10000;
    std::snprintf(escaped, sizeof escaped, "\\u%04x\\u%04x", 0xD800 + (offset >> 10),
                  0xDC00 + (offset & 0x3FF));
  } else if (layout != Layout::kJson && code <= 0xFF) {
    std::snprintf(escaped, sizeof escaped, "\\x%02x", code);
  } else if (code <= 0xFFFF) {
    std::snprintf(escaped, sizeof escaped, "\\u%04x", code);
  } else {
    std::snprintf(escaped, sizeof escaped, "\\U%08x", code);
  }
  out += escaped;
}

}  // namespace

std::string JsonQuoted(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || c == '<' || c == '>' || c == '&' || byte == 0x7F) {
      quoted += "\\u00";
      quoted += kHex[byte >> 4];
      quoted += kHex[byte & 0xF];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string PrintableText(std::string_view text, Layout layout) {
  std::string printable;
  printable.reserve(text.size());
  while (!text.empty()) {
    const Character character = FirstOf(text);
    const size_t length = std::max<size_t>(character.length, 1);
    if (character.length == 0) {
      const auto byte = static_cast<uint8_t>(text.front());
      AppendEscaped(printable, layout == Layout::kJson ? kReplacementInJson : byte, layout);
    } else if (IsPrintable(character.code, layout)) {
      printable += text.substr(0, length);
    } else {
      AppendEscaped(printable, character.code, layout);
    }
    text.remove_prefix(length);
  }
  return printable;
}

}  // namespace jprof
