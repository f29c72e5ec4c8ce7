// OptionTokenizer: cuts an option string into its words, name or name=value.
//
// Words are separated by commas. A value in quotes, ' or ", may hold commas; the same quote twice
// inside stands for one. Knows no names: what the words mean is for ParsedArguments.
//
// Thread-safe: no state but the reader's own.
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

  // REQUIRES: !AtEnd(). An error (quotes that are not closed) is about all that is left.
  Result<OptionToken> Next();

 private:
  std::string_view text_;
  size_t next_;  // where the next word begins; behind the end when there is none
};

// The value as it stands in an option string: in quotes only where it has to be.
std::string QuotedValue(std::string_view value);

}  // namespace jprof
