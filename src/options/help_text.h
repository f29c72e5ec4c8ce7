// HelpText: the output of the command help, generated from the option table. WrapHelp and
// HelpColumns lay out the texts of help.
//
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jprof {

// The number of columns that every line of help fits in, which is the usual width of a terminal.
inline constexpr size_t kHelpWidth = 80;

// Returns the text broken at spaces into lines of at most kHelpWidth columns; all lines but the
// first start at `column`. `used`: the columns of the first line that are already taken.
std::string WrapHelp(std::string_view text, size_t column, size_t used);

// Returns "  left    right": the left part starts at `indent`, the right part at `column`. The
// right part takes as many lines as it needs. A left part that is too long has a line of its own.
std::string HelpColumns(std::string_view left, std::string_view right, size_t indent,
                        size_t column);

// Returns the commands, the options and the meanings of their values, in lines of at most
// kHelpWidth columns.
std::string HelpText();

}  // namespace jprof
