// OptionTokenizer: splits an option string into tokens, name or name=value.
//
// Tokens are separated by commas. A value in quotes, ' or ", may contain commas; a doubled quote
// inside stands for one. ParsedArguments interprets the names.
//
// Thread-compatible.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace jprof {

struct OptionToken {
  std::string text;  // as it was written
  std::string name;
  std::optional<std::string> value;  // without its quotes
};

class OptionTokenizer {
 public:
  // Keeps a view of `text`.
  explicit OptionTokenizer(std::string_view text) : text_(text), next_(text.empty() ? 1 : 0) {}

  bool AtEnd() const { return next_ > text_.size(); }

  // REQUIRES: !AtEnd(). Fails for unclosed quotes; the error concerns the whole rest.
  Result<OptionToken> Next();

 private:
  // Appends the quoted text whose opening quote is at `begin`. Behind its closing quote; npos where
  // there is none.
  size_t ReadQuoted(size_t begin, std::string* value) const;

  std::string_view text_;
  size_t next_;  // begin of the next token; > text_.size() at the end
};

// The value as written in an option string: quoted only if necessary.
std::string QuotedValue(std::string_view value);

}  // namespace jprof
