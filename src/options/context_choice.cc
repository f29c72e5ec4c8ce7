#include "options/context_choice.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "options/error_text.h"
#include "options/option_table.h"

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
      return Error(
          word + " has " + Quote(name) +
          ", which is not a name: letters, digits, '_', '.' and '-', a letter or '_' first");
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
  Status read = words.ReadSwitch(OptionId::kContext, &options->context);
  if (read) read = words.ReadSwitch(OptionId::kSpans, &spans);
  if (read) read = words.ReadSwitch(OptionId::kContextExport, &options->context_export);
  if (!read) return read;
  const auto text = words.ValueOf(OptionId::kAttributes);
  const std::pair<OptionId, bool> additions[] = {
      {OptionId::kAttributes, text.has_value()},
      {OptionId::kSpans, spans},
      {OptionId::kContextExport, options->context_export}};
  for (const auto& [option, is_given] : additions) {
    if (!is_given || options->context) continue;
    return Error(Quote(words.Word(option)) + " is for trace contexts: add " +
                 words.Spell(OptionId::kContext, "1"));
  }
  if (spans) options->samples.Enable(SampleKind::kSpan, 1);
  return text ? ReadAttributes(*text, Quote(words.Word(OptionId::kAttributes)), options) : Status();
}

}  // namespace jprof
