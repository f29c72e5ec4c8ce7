// JsonQuoted: a text as a JSON string. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace jprof {

// In quotes. Also escapes the characters that HTML interprets in a script: no text can close its
// script element. REQUIRES: valid UTF-8.
std::string JsonQuoted(std::string_view text);

}  // namespace jprof
