// Building blocks of one-line error messages about the user's arguments.
//
// Thread-safe: no state.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jprof {

// Returns `text` in single quotes, safe for one line of a log: bytes other than printable ASCII are
// shown as \xNN, and long texts are truncated.
std::string Quote(std::string_view text);

// Returns the known name that `word` most likely misspells, or the first of several equally near
// names; nullopt if no name is near. The edit distance, which ignores case, is at most two, and
// less for short words.
std::optional<std::string_view> NearestName(std::string_view word,
                                            const std::vector<std::string_view>& names);

// If `text` is a number without a unit, returns "; without unit " followed by `means`; otherwise
// returns "".
std::string UnitlessNumberHint(std::string_view text, std::string_view means);

// Returns "a, b, c".
std::string Join(const std::vector<std::string_view>& names);

// Returns "unknown <kind> 'word': did you mean 'x'?", or "...: known are a, b, c" if no name is
// near.
std::string UnknownName(std::string_view kind, std::string_view word,
                        const std::vector<std::string_view>& names);

// Returns the column `name` of a table.
template <typename Rows>
std::vector<std::string_view> NamesOf(const Rows& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  return names;
}

}  // namespace jprof
