#include "formats/json_writer.h"

#include <string>

namespace jprof {

void JsonWriter::BeginObject() {
  Separate();
  out_.Text("{");
  is_first_ = true;
}

void JsonWriter::EndObject() {
  out_.Text("}");
  is_first_ = false;
}

void JsonWriter::BeginArray(std::string_view key) {
  Key(key);
  out_.Text("[");
  is_first_ = true;
}

void JsonWriter::EndArray() {
  out_.Text("]");
  is_first_ = false;
}

void JsonWriter::Text(std::string_view key, std::string_view value) {
  Key(key);
  Quoted(value);
}

void JsonWriter::Number(std::string_view key, uint64_t value) {
  Key(key);
  out_.Number(value);
}

void JsonWriter::Separate() {
  if (!is_first_) out_.Text(",");
  is_first_ = false;
}

void JsonWriter::Key(std::string_view key) {
  Separate();
  Quoted(key);
  out_.Text(":");
}

void JsonWriter::Quoted(std::string_view text) {
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
