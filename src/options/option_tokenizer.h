// OptionTokenizer: splits an option string into tokens: name or name=value.
//
// Tokens are separated by commas. A value in quotes, ' or ", can contain commas; a doubled quote
// inside it stands for one quote. ParsedArguments interprets the names.
//
// Not synchronized.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace jprof {

struct OptionToken {
  std::string text;  // the token as it was written
  std::string name;
  std::optional<std::string> value;  // value without its quotes
};

class OptionTokenizer {
 public:
  // Keeps a view of `text`.
  explicit OptionTokenizer(std::string_view text) : text_(text), next_(text.empty() ? 1 : 0) {}

  bool AtEnd() const { return next_ > text_.size(); }

  // Returns the next token. Fails for unclosed quotes; the error concerns the whole rest of the
  // text. REQUIRES: !AtEnd().
  Result<OptionToken> Next();

 private:
  // Appends the quoted text whose opening quote is at `begin`. Returns the position after the
  // closing quote; npos if there is none.
  size_t ReadQuoted(size_t begin, std::string* value) const;

  std::string_view text_;
  size_t next_;  // start of the next token; > text_.size() at the end
};

// Returns the value as it is written in an option string: in quotes only if necessary.
std::string QuotedValue(std::string_view value);

}  // namespace jprof
