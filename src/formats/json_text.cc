#include "formats/json_text.h"

#include <string>

namespace jprof {

void JsonText::BeginObject() {
  Separate();
  out_.Text("{");
  is_first_ = true;
}

void JsonText::EndObject() {
  out_.Text("}");
  is_first_ = false;
}

void JsonText::BeginArray(std::string_view key) {
  Key(key);
  out_.Text("[");
  is_first_ = true;
}

void JsonText::EndArray() {
  out_.Text("]");
  is_first_ = false;
}

void JsonText::Text(std::string_view key, std::string_view value) {
  Key(key);
  Quoted(value);
}

void JsonText::Number(std::string_view key, uint64_t value) {
  Key(key);
  out_.Number(value);
}

void JsonText::Separate() {
  if (!is_first_) out_.Text(",");
  is_first_ = false;
}

void JsonText::Key(std::string_view key) {
  Separate();
  Quoted(key);
  out_.Text(":");
}

void JsonText::Quoted(std::string_view text) {
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
  out_.Text(quoted + "\"");
}

}  // namespace jprof
