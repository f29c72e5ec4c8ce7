// PrintableText: text of others (command lines, paths, answers, names) made safe for a terminal, on
// which control characters move the cursor, set titles, paste input or hide what was printed.
//
// Control characters, bytes that are no UTF-8, and characters that turn the direction of writing or
// break a line show as \x1b or \u202e. All other text stays as it is. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

namespace jprof {

// Whether line feeds and tabs are the text's own layout, or could forge a line.
enum class Layout { kKeep, kEscape };

std::string PrintableText(std::string_view text, Layout layout);

}  // namespace jprof
