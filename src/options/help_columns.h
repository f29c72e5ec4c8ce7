// HelpColumns: text of help in two columns, wrapped at words.
//
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jprof {

// The columns of a terminal that every line of help fits into.
inline constexpr size_t kHelpWidth = 80;

// The text, broken at spaces into lines of at most kHelpWidth columns; all lines but the first
// begin at `column`. `used`: columns of the first line that are taken already.
std::string WrapHelp(std::string_view text, size_t column, size_t used);

// "  left    right", with the left part at `indent` and the right one, in as many lines as it
// needs, at `column`. A left part that is too long has a line of its own.
std::string HelpColumns(std::string_view left, std::string_view right, size_t indent,
                        size_t column);

}  // namespace jprof
