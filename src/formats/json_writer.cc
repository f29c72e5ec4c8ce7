#include "formats/json_writer.h"

#include <charconv>
#include <cmath>
#include <string>

namespace jprof {

void JsonWriter::Key(std::string_view key) {
  Separate();
  Quoted(key);
  out_.Text(":");
  is_first_ = true;
}

void JsonWriter::BeginObject() {
  Separate();
  out_.Text("{");
  is_first_ = true;
}

void JsonWriter::EndObject() {
  out_.Text("}");
  is_first_ = false;
}

void JsonWriter::BeginArray() {
  Separate();
  out_.Text("[");
  is_first_ = true;
}

void JsonWriter::EndArray() {
  out_.Text("]");
  is_first_ = false;
}

void JsonWriter::Text(std::string_view value) {
  Separate();
  Quoted(value);
}

void JsonWriter::Number(uint64_t value) {
  Separate();
  out_.Number(value);
}

void JsonWriter::Signed(int64_t value) {
  Separate();
  if (value < 0) out_.Text("-");
  out_.Number(value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value));
}

void JsonWriter::Bool(bool value) { Raw(value ? "true" : "false"); }

void JsonWriter::Null() { Raw("null"); }

void JsonWriter::Millis(int64_t nanos) {
  constexpr int64_t kUnit = 100;  // nanoseconds in the last decimal
  constexpr int64_t kUnits = 1'000'000 / kUnit;
  Separate();
  if (nanos < 0) out_.Text("-");
  const uint64_t size = nanos < 0 ? -static_cast<uint64_t>(nanos) : static_cast<uint64_t>(nanos);
  const uint64_t units = (size + kUnit / 2) / kUnit;
  out_.Number(units / kUnits);
  uint64_t rest = units % kUnits;
  if (rest == 0) return;
  char digits[] = ".0000";
  for (int i = 4; i > 0; --i, rest /= 10) digits[i] = static_cast<char>('0' + rest % 10);
  size_t count = sizeof digits - 1;
  while (digits[count - 1] == '0') --count;
  out_.Text({digits, count});
}

void JsonWriter::Decimal(double value) {
  char digits[32];
  const auto [end, error] =
      std::to_chars(digits, digits + sizeof digits, std::isfinite(value) ? value : 0);
  Raw({digits, static_cast<size_t>(end - digits)});
}

void JsonWriter::Raw(std::string_view json) {
  Separate();
  out_.Text(json);
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
