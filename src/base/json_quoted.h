// JsonQuoted: a text as a JSON string. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace jprof {

// In quotes. Also escapes what HTML reads in a script: no text can close the element that it is in.
// REQUIRES: valid UTF-8, or the result is no JSON either.
std::string JsonQuoted(std::string_view text);

}  // namespace jprof
