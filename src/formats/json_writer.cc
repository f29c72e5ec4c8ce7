#include "formats/json_writer.h"

#include <charconv>
#include <cmath>
#include <string>

#include "base/printable_text.h"

namespace jprof {
namespace {

constexpr size_t kNumberSize = kMillisSize;

}  // namespace

char* JsonWriter::Separated(char* text) {
  if (!is_first_) *text++ = ',';
  is_first_ = false;
  return text;
}

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
  char text[kNumberSize];
  char* const begin = Separated(text);
  Append(text, std::to_chars(begin, text + sizeof text, value).ptr);
}

void JsonWriter::Signed(int64_t value) {
  char text[kNumberSize];
  char* const begin = Separated(text);
  Append(text, std::to_chars(begin, text + sizeof text, value).ptr);
}

void JsonWriter::Bool(bool value) { Raw(value ? "true" : "false"); }

void JsonWriter::Null() { Raw("null"); }

char* MillisText(int64_t nanos, char* text) {
  constexpr int64_t kUnit = 100;  // nanoseconds in the last decimal
  constexpr int64_t kUnits = 1'000'000 / kUnit;
  char* at = text;
  if (nanos < 0) *at++ = '-';
  const uint64_t size = nanos < 0 ? -static_cast<uint64_t>(nanos) : static_cast<uint64_t>(nanos);
  const uint64_t units = (size + kUnit / 2) / kUnit;
  const uint64_t whole = units / kUnits;
  if (whole < 10) {
    *at++ = static_cast<char>('0' + whole);
  } else {
    at = std::to_chars(at, at + 20, whole).ptr;
  }
  const auto rest = static_cast<uint32_t>(units % kUnits);
  if (rest == 0) return at;
  // Writes the decimals without a branch for each digit. Speed matters, because a document can
  // contain tens of millions of time values.
  const uint32_t high = rest / 100, low = rest % 100;
  const auto digit = [](uint32_t value) { return static_cast<char>('0' + value); };
  at[0] = '.';
  at[1] = digit(high / 10);
  at[2] = digit(high % 10);
  at[3] = digit(low / 10);
  at[4] = digit(low % 10);
  const uint32_t last_pair = low != 0 ? low : high;
  return at + (low != 0 ? 4 : 2) + (last_pair % 10 != 0 ? 1 : 0);
}

void JsonWriter::Millis(int64_t nanos) {
  char text[kNumberSize];
  Append(text, MillisText(nanos, Separated(text)));
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

void JsonWriter::Quoted(std::string_view text) { out_.Text(JsonQuoted(text)); }

}  // namespace jprof
