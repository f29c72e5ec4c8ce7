#include "options/option_tokenizer.h"

#include <algorithm>

#include "options/error_text.h"
#include "sigsafe/base/check.h"

namespace jprof {
namespace {

bool IsQuote(char c) { return c == '\'' || c == '"'; }

}  // namespace

size_t OptionTokenizer::ReadQuoted(size_t begin, std::string* value) const {
  const char quote = text_[begin];
  for (size_t end = begin + 1; end < text_.size(); ++end) {
    if (text_[end] == quote) {
      ++end;
      if (end == text_.size() || text_[end] != quote) return end;
    }
    *value += text_[end];
  }
  return std::string_view::npos;
}

Result<OptionToken> OptionTokenizer::Next() {
  JPROF_CHECK(!AtEnd());
  const size_t begin = next_;
  size_t end = std::min(text_.find(',', begin), text_.size());
  const size_t equals = text_.find('=', begin);
  OptionToken word;
  if (equals >= end) {
    word.name = text_.substr(begin, end - begin);
  } else {
    word.name = text_.substr(begin, equals - begin);
    const size_t value = equals + 1;
    if (value < text_.size() && IsQuote(text_[value])) {
      end = ReadQuoted(value, &word.value.emplace());
      if (end == std::string_view::npos) {
        return Error(Quote(text_.substr(begin)) + " has no closing " + text_[value]);
      }
      if (end < text_.size() && text_[end] != ',') {
        return Error(Quote(text_.substr(begin)) + " continues after the closing " + text_[value] +
                     ": write that twice where it is part of the value");
      }
    } else {
      word.value = text_.substr(value, end - value);
    }
  }
  word.text = text_.substr(begin, end - begin);
  next_ = end + 1;
  return word;
}

std::string QuotedValue(std::string_view value) {
  const bool plain = value.empty() || (!IsQuote(value.front()) && value.back() != ' ' &&
                                       value.find(',') == std::string_view::npos);
  if (plain) return std::string(value);
  std::string quoted = "'";
  for (const char c : value) quoted.append(c == '\'' ? 2 : 1, c);
  return quoted + "'";
}

}  // namespace jprof
