// Functions that make text from outside (command lines, paths, answers, names) safe for the place
// where it is shown. PrintableText is for a terminal, where control characters move the cursor, set
// titles, paste input or hide output. JsonQuoted is for a JSON string.
//
// Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

namespace jprof {

// Returns the text as a JSON string, in quotes. Also escapes the characters that HTML interprets in
// a script, so that no text can close the script element around it. REQUIRES: valid UTF-8.
std::string JsonQuoted(std::string_view text);

// How PrintableText treats line feeds and tabs. kKeep: keeps them as layout. kEscape: escapes them,
// because a line feed could forge a line. kJson: keeps them in a text that is JSON; the result is
// valid JSON, with JSON's escapes and with U+FFFD in place of invalid UTF-8.
enum class Layout { kKeep, kEscape, kJson };

// Returns the text with some characters escaped, such as \x1b or \u202e: control characters,
// invalid UTF-8, and characters that change the direction of writing or break a line.
std::string PrintableText(std::string_view text, Layout layout);

}  // namespace jprof
