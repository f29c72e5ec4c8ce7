#include "serve/json_fields.h"

#include <algorithm>
#include <cstdint>

#include "base/modified_utf8.h"
#include "base/printable_text.h"

namespace jprof {
namespace {

using Fields = std::map<std::string, std::string>;

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : rest_(text) {}

  std::optional<Fields> Object() {
    Fields fields;
    if (!Skip('{')) return std::nullopt;
    if (!Skip('}')) {
      do {
        const std::optional<std::string> name = Text();
        if (!name || !Skip(':') || !Member(*name, fields)) return std::nullopt;
      } while (Skip(','));
      if (!Skip('}')) return std::nullopt;
    }
    SkipBlanks();
    return rest_.empty() ? std::optional(fields) : std::nullopt;
  }

 private:
  void SkipBlanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }

  bool Skip(char c) {
    SkipBlanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool Member(const std::string& name, Fields& fields) {
    SkipBlanks();
    if (!rest_.starts_with('"')) return Word();
    const std::optional<std::string> value = Text();
    return value && fields.emplace(name, *value).second;
  }

  // Skips a number, true, false or null. Returns false for any other word.
  bool Word() {
    const size_t length = std::min(rest_.find_first_of(", \t\r\n}"), rest_.size());
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word == "true" || word == "false" || word == "null" ||
           (!word.empty() && word.find_first_not_of("0123456789+-.eE") == std::string_view::npos);
  }

  std::optional<std::string> Text() {
    if (!Skip('"')) return std::nullopt;
    std::string text;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return Utf8FromModifiedUtf8(text);
      if (static_cast<unsigned char>(c) < ' ') return std::nullopt;
      if (c != '\\') {
        text += c;
      } else if (!Escape(text)) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  bool Escape(std::string& text) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (rest_.empty()) return false;
    const char letter = rest_.front();
    rest_.remove_prefix(1);
    const size_t known = kLetters.find(letter);
    if (known != std::string_view::npos) {
      text += kMeanings[known];
      return true;
    }
    if (letter != 'u' || rest_.size() < 4) return false;
    uint32_t code = 0;
    for (const char c : rest_.substr(0, 4)) {
      const size_t digit = std::string_view("0123456789abcdefABCDEF").find(c);
      if (digit == std::string_view::npos) return false;
      code = code * 16 + static_cast<uint32_t>(digit < 16 ? digit : digit - 6);
    }
    rest_.remove_prefix(4);
    AppendUtf8(text, code);
    return true;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<Fields> ReadJsonFields(std::string_view json) { return JsonReader(json).Object(); }

std::string JsonString(std::string_view text) { return JsonQuoted(Utf8FromModifiedUtf8(text)); }

}  // namespace jprof
