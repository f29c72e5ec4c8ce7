// MatchesWildcards: matches names with patterns of * (any text) and ? (any character).
//
// Thread-safe: no state.
#pragma once

#include <string_view>

namespace jprof {

// True if the pattern matches the whole name. Takes linear time in practice and does not recurse.
bool MatchesWildcards(std::string_view pattern, std::string_view name);

}  // namespace jprof
