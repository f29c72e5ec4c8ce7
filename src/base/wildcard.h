// MatchesWildcards: names by patterns with * (any text) and ? (any character).
//
// Thread-safe: no state.
#pragma once

#include <string_view>

namespace jprof {

// Of the whole name. Linear in practice, no recursion.
bool MatchesWildcards(std::string_view pattern, std::string_view name);

}  // namespace jprof
