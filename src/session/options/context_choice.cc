#include "session/options/context_choice.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "session/options/error_text.h"
#include "session/options/option_table.h"

namespace jprof {
namespace {

constexpr size_t kMaxAttributes = 16;

bool IsLetter(char c) { return c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }

// Fields of a recording are named after them.
bool IsName(std::string_view name) {
  if (name.empty() || !IsLetter(name.front())) return false;
  for (const char c : name) {
    if (!IsLetter(c) && (c < '0' || c > '9') && c != '.' && c != '-') return false;
  }
  return true;
}

Status ReadAttributes(std::string_view text, const std::string& word, Options* options) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(';', begin), text.size());
    const std::string_view name = text.substr(begin, end - begin);
    begin = end + 1;
    if (!IsName(name)) {
      return Error(word + " has " + Quote(name) +
                   ", which is no name: letters, digits, '_', '.' and '-', a letter or '_' first");
    }
    if (std::ranges::find(options->attributes, name) != options->attributes.end()) {
      return Error(word + " has " + Quote(name) + " twice");
    }
    options->attributes.emplace_back(name);
  }
  if (options->attributes.size() > kMaxAttributes) {
    return Error(word + " has more than " + std::to_string(kMaxAttributes) + " names");
  }
  return {};
}

}  // namespace

Status ReadContext(const ParsedArguments& words, Options* options) {
  bool spans = false;
  for (const OptionId option : {OptionId::kContext, OptionId::kSpans}) {
    if (!words.Has(option)) continue;
    const std::string_view value = words.ValueOf(option).value_or("1");
    if (value != "0" && value != "1") {
      return Error(Quote(words.Word(option)) + " is neither 0 nor 1");
    }
    (option == OptionId::kContext ? options->context : spans) = value == "1";
  }
  const auto text = words.ValueOf(OptionId::kAttributes);
  if ((text || spans) && !options->context) {
    const OptionId option = text ? OptionId::kAttributes : OptionId::kSpans;
    return Error(Quote(words.Word(option)) + " is for trace contexts: add " +
                 words.Spell(OptionId::kContext, "1"));
  }
  if (spans) options->samples.Enable(SampleKind::kSpan, 1);
  return text ? ReadAttributes(*text, Quote(words.Word(OptionId::kAttributes)), options) : Status();
}

}  // namespace jprof
