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

}  // namespace

Status ReadContext(const ParsedArguments& words, Options* options) {
  if (words.Has(OptionId::kContext)) {
    const std::string_view value = words.ValueOf(OptionId::kContext).value_or("1");
    if (value != "0" && value != "1") {
      return Error(Quote(words.Word(OptionId::kContext)) + " is neither 0 nor 1");
    }
    options->context = value == "1";
  }
  const auto text = words.ValueOf(OptionId::kAttributes);
  if (!text) return {};
  const std::string word = Quote(words.Word(OptionId::kAttributes));
  if (!options->context) {
    return Error(word + " is for trace contexts: add " + words.Spell(OptionId::kContext, "1"));
  }
  for (size_t begin = 0; begin <= text->size();) {
    const size_t end = std::min(text->find(';', begin), text->size());
    const std::string_view name = std::string_view(*text).substr(begin, end - begin);
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

}  // namespace jprof
