// GivenWords: the words of one option string, before their values are understood.
//
// For ParseOptions only. Keeps views into the string it was made from.
//
// 1. Every word is in the option table, there is exactly one command, and no option came twice.
// 2. The command takes every option that is given.
// 3. A value is there where the table needs one, and it is not empty.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "session/options/option_table.h"

namespace jprof {

class GivenWords {
 public:
  static Result<GivenWords> Split(std::string_view text);

  Command command() const { return command_->id; }

  bool Has(OptionId option) const { return At(option).has_value(); }

  // The word as it was written, for messages. REQUIRES: Has(option).
  std::string_view Word(OptionId option) const { return At(option)->word; }

  // Nothing if the option is not given or has no value.
  std::optional<std::string_view> Value(OptionId option) const {
    return Has(option) ? At(option)->value : std::nullopt;
  }

  // In the order of the words. REQUIRES: both are given.
  bool Precedes(OptionId first, OptionId second) const {
    return places_[static_cast<size_t>(first)] < places_[static_cast<size_t>(second)];
  }

 private:
  struct Given {
    std::string_view word;
    std::optional<std::string_view> value;
  };

  const std::optional<Given>& At(OptionId option) const {
    return given_[static_cast<size_t>(option)];
  }

  Status Add(std::string_view word);
  Status AddCommand(const CommandRow& row, std::string_view word);
  Status AddOption(const OptionRow& row, const Given& given);
  Status CheckCommandTakesOptions() const;

  const CommandRow* command_ = nullptr;
  std::array<std::optional<Given>, kOptionCount> given_;
  std::array<size_t, kOptionCount> places_{};  // of those that are given, from 1
  size_t count_ = 0;
};

}  // namespace jprof
