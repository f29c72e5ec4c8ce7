// JsonWriter writes JSON, for files and for the script elements of HTML pages. It escapes texts so
// that no text can end a script element or start an HTML comment. Used by one thread. Strings must
// be valid UTF-8.
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/output_stream.h"

namespace jprof {

// The maximum number of characters of a number in milliseconds with the comma before it: a comma, a
// sign, 20 digits, a point and 4 decimals, rounded up.
inline constexpr size_t kMillisSize = 32;
// Writes `nanos` in milliseconds to `text`, as JsonWriter::Millis does, and returns the end of the
// text. REQUIRES: `text` has room for kMillisSize characters.
char* MillisText(int64_t nanos, char* text);

class JsonWriter {
 public:
  explicit JsonWriter(OutputStream& out) : out_(out) {}

  // Writes the name of the next value in an object.
  void Key(std::string_view key);

  // The functions below write a value: the next element of an array, or the value of the last Key.
  void BeginObject();
  void EndObject();
  void BeginArray();
  void EndArray();
  void Text(std::string_view value);
  void Number(uint64_t value);
  void Signed(int64_t value);
  void Bool(bool value);
  void Null();
  void Millis(int64_t nanos);       // rounded to four decimals, without trailing zeros
  void Decimal(double value);       // 0 for NaN and infinities
  void Raw(std::string_view json);  // a value that is JSON already

  void BeginObject(std::string_view key) {
    Key(key);
    BeginObject();
  }
  void BeginArray(std::string_view key) {
    Key(key);
    BeginArray();
  }
  void Text(std::string_view key, std::string_view value) {
    Key(key);
    Text(value);
  }
  void Number(std::string_view key, uint64_t value) {
    Key(key);
    Number(value);
  }
  void Bool(std::string_view key, bool value) {
    Key(key);
    Bool(value);
  }
  void Null(std::string_view key) {
    Key(key);
    Null();
  }
  void Millis(std::string_view key, int64_t nanos) {
    Key(key);
    Millis(nanos);
  }

  template <class Strings>
  void Texts(std::string_view key, const Strings& values) {
    BeginArray(key);
    for (const auto& value : values) Text(value);
    EndArray();
  }

 private:
  void Separate() {
    if (!is_first_) out_.Text(",");
    is_first_ = false;
  }
  // Writes a comma to `text` if the next value needs a comma before it. Returns the end of the
  // text.
  char* Separated(char* text);
  void Append(const char* begin, const char* end) {
    out_.Text({begin, static_cast<size_t>(end - begin)});
  }
  void Quoted(std::string_view text);

  OutputStream& out_;
  bool is_first_ = true;  // the next value needs no comma before it
};

}  // namespace jprof
