// ParsedArguments: the words of one option string, or of a command line of jprof, before their
// values are understood.
//
// 1. Every word is in the option table, there is exactly one command, and no option came twice.
// 2. The command takes every option that is given.
// 3. A value is there where the table needs one, and it is not empty.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "session/options/option_table.h"
#include "session/options/option_tokenizer.h"
#include "sigsafe/base/check.h"

namespace jprof {

// How the user writes options, and reads about them: "interval=5ms", or "--interval 5ms".
enum class ArgumentSyntax { kOptionString, kCommandLine };

class ParsedArguments {
 public:
  using Value = std::optional<std::string>;

  static Result<ParsedArguments> Parse(std::string_view text);

  // Of jprof, which has looked at the names.
  static Result<ParsedArguments> FromCommandLine(
      Command command, const std::vector<std::pair<OptionId, Value>>& options);

  Command command() const { return command_->id; }

  bool Has(OptionId option) const { return At(option).has_value(); }

  // The word as it was written, for messages. REQUIRES: Has(option).
  std::string_view Word(OptionId option) const {
    JPROF_CHECK(Has(option));
    return At(option)->word;
  }

  // Nothing if the option is not given or has no value. Valid as long as this object.
  std::optional<std::string_view> ValueOf(OptionId option) const;

  // How the user would write the option; without `value`, the option alone.
  std::string Spell(OptionId option, std::string_view value = "") const;

  // What Parse accepts for the same arguments.
  std::string AsOptionString() const;

  // In the order of the arguments. REQUIRES: both are given.
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
  bool after_event_ = false;  // the words before this one are event= and engines
  std::array<std::optional<Argument>, kOptionCount> arguments_;
  std::array<size_t, kOptionCount> positions_{};  // of those that are given, from 1
  size_t count_ = 0;
};

}  // namespace jprof
