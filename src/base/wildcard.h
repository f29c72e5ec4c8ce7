// MatchesWildcards: matches names with patterns of * (any text) and ? (any character).
//
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <string_view>

namespace jprof {

// True if the pattern matches the whole name. The search is greedy and backtracks only to the last
// star: it takes linear time in practice and does not recurse.
inline bool MatchesWildcards(std::string_view pattern, std::string_view name) {
  size_t in_pattern = 0;
  size_t in_name = 0;
  size_t star = std::string_view::npos;
  size_t name_at_star = 0;
  while (in_name < name.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      name_at_star = in_name;
    } else if (in_pattern < pattern.size() &&
               (pattern[in_pattern] == '?' || pattern[in_pattern] == name[in_name])) {
      ++in_pattern;
      ++in_name;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      in_name = ++name_at_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

}  // namespace jprof
