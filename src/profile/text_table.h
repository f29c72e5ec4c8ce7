// TextTable: interns texts under dense numbers from 0. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace jprof::profile {

class TextTable {
 public:
  uint32_t NumberOf(std::string_view text) {
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<uint32_t>(texts_.size());
    texts_.emplace_back(text);
    numbers_.emplace(texts_.back(), number);
    return number;
  }

  // Returns the number of `text`; nullopt if it has none.
  std::optional<uint32_t> Find(std::string_view text) const {
    const auto found = numbers_.find(text);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

  const std::string& operator[](uint32_t number) const { return texts_[number]; }
  size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // never moves a text
  std::unordered_map<std::string_view, uint32_t> numbers_;
};

}  // namespace jprof::profile
