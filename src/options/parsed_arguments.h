// ParsedArguments: the arguments of one option string or of a command line of jprof, split and
// checked, with values that are not parsed yet. Invariants:
//
//  1. Every argument is in the option table, there is exactly one command, and no option is
//  repeated.
//  2. The command accepts all given options.
//  3. Required values are present, and no value is empty.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "options/option_table.h"
#include "sigsafe/base/check.h"

namespace jprof {

struct OptionToken {
  std::string text;  // the token as it was written
  std::string name;
  std::optional<std::string> value;  // value without its quotes
};

// OptionTokenizer splits an option string into tokens, which are name or name=value.
//
// Tokens are separated by commas. A value in quotes, ' or ", can contain commas; a doubled quote
// inside it stands for one quote. Not synchronized.
class OptionTokenizer {
 public:
  // Keeps a view of `text`.
  explicit OptionTokenizer(std::string_view text) : text_(text), next_(text.empty() ? 1 : 0) {}

  bool AtEnd() const { return next_ > text_.size(); }

  // Returns the next token. Fails if a quote is not closed, or if text follows a closing quote
  // before the next comma. The error quotes the rest of the option string, from the start of this
  // token. REQUIRES: !AtEnd().
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

// The syntax of the user's options, also used in messages: "interval=5ms" or "--interval 5ms".
enum class ArgumentSyntax { kOptionString, kCommandLine };

class ParsedArguments {
 public:
  using Value = std::optional<std::string>;

  static Result<ParsedArguments> Parse(std::string_view text);

  // Makes the arguments of `command`. `options`: the options of jprof's command line, already
  // looked up in the option table.
  static Result<ParsedArguments> FromCommandLine(
      Command command, const std::vector<std::pair<OptionId, Value>>& options);

  Command command() const { return command_->id; }

  bool Has(OptionId option) const { return At(option).has_value(); }

  // Returns the argument as the user has written it, for messages. REQUIRES: Has(option).
  std::string_view Word(OptionId option) const {
    JPROF_CHECK(Has(option));
    return At(option)->word;
  }

  // Returns the value of the option; nullopt if the option is not given or has no value. The text
  // is valid while this object exists.
  std::optional<std::string_view> ValueOf(OptionId option) const;

  // Returns the value of a switch, an option that is 0 or 1. A switch without a value is 1. Returns
  // nullopt if the option is not given.
  Result<std::optional<bool>> SwitchOf(OptionId option) const;

  // Sets `is_on` to the value of a switch (see SwitchOf) if the option is given.
  Status ReadSwitch(OptionId option, bool* is_on) const;

  // Returns the option in the user's syntax. The value is appended unless it is empty.
  std::string Spell(OptionId option, std::string_view value = "") const;

  // Returns an option string that means the same as these arguments.
  std::string AsOptionString() const;

  // True if `first` is before `second` in the arguments. REQUIRES: both are given.
  bool Precedes(OptionId first, OptionId second) const {
    JPROF_CHECK(Has(first) && Has(second));
    return positions_[static_cast<size_t>(first)] < positions_[static_cast<size_t>(second)];
  }

 private:
  struct Argument {
    std::string word;
    Value value;
  };

  explicit ParsedArguments(ArgumentSyntax syntax) : syntax_(syntax) {}

  const std::optional<Argument>& At(OptionId option) const {
    return arguments_[static_cast<size_t>(option)];
  }

  Status Add(const OptionToken& word);
  bool AddEvent(const OptionToken& word);
  Status AddCommand(const CommandRow& row, std::string_view word);
  Status AddOption(const OptionRow& row, const OptionToken& word);
  Status CheckCommandTakesOptions() const;

  ArgumentSyntax syntax_;
  const CommandRow* command_ = nullptr;
  bool after_event_ = false;  // true while words can continue the list of event=
  std::array<std::optional<Argument>, kOptionCount> arguments_;
  std::array<size_t, kOptionCount> positions_{};  // positions of the given options, from 1
  size_t count_ = 0;
};

}  // namespace jprof
