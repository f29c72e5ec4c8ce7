// PrintableText: text from outside (command lines, paths, answers, names) made safe for a terminal,
// where control characters move the cursor, set titles, paste input or hide output.
//
// Control characters, invalid UTF-8, and characters that change the direction of writing or break a
// line show as \x1b or \u202e. Other text is unchanged. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

namespace jprof {

// JsonQuoted: a text as a JSON string. Any thread.

// In quotes. Also escapes the characters that HTML interprets in a script: no text can close its
// script element. REQUIRES: valid UTF-8.
std::string JsonQuoted(std::string_view text);

// kKeep: line feeds and tabs are layout. kEscape: a line feed could forge a line. kJson: as kKeep,
// for JSON texts: the result is valid JSON, with JSON's escapes, and U+FFFD in place of invalid
// UTF-8.
enum class Layout { kKeep, kEscape, kJson };

std::string PrintableText(std::string_view text, Layout layout);

}  // namespace jprof
