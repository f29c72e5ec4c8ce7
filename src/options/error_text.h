// Building blocks of one-line error messages about the user's arguments.
//
// Thread-safe: no state.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jprof {

// 'text', safe for one line of a log: all but printable ASCII is shown as \xNN, long texts are
// truncated.
std::string Quote(std::string_view text);

// The known name that `word` most likely misspells: edit distance at most two, less for short
// words, ignoring case. The first of several equally near names.
std::optional<std::string_view> NearestName(std::string_view word,
                                            const std::vector<std::string_view>& names);

// "; without unit `means`" if `text` is a number without a unit, else "".
std::string UnitlessNumberHint(std::string_view text, std::string_view means);

// "a, b, c".
std::string Join(const std::vector<std::string_view>& names);

// "unknown <kind> 'word': did you mean 'x'?", or "...: known are a, b, c" if no name is near.
std::string UnknownName(std::string_view kind, std::string_view word,
                        const std::vector<std::string_view>& names);

// The column `name` of a table.
template <typename Rows>
std::vector<std::string_view> NamesOf(const Rows& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  return names;
}

}  // namespace jprof
