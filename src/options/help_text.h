// HelpText: the output of the command help, generated from the option table.
//
// Called by RecordingControl on whichever thread brought the command. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jprof {

// HelpColumns: text of help in two columns, wrapped at words.
//
//

// The columns of a terminal that every line of help fits into.
inline constexpr size_t kHelpWidth = 80;

// The text, broken at spaces into lines of at most kHelpWidth columns; all lines but the first
// begin at `column`. `used`: columns of the first line that are taken already.
std::string WrapHelp(std::string_view text, size_t column, size_t used);

// "  left    right", with the left part at `indent` and the right one, in as many lines as it
// needs, at `column`. A left part that is too long has a line of its own.
std::string HelpColumns(std::string_view left, std::string_view right, size_t indent,
                        size_t column);

// The commands, and each option with what its values mean, in lines of at most kHelpWidth columns.
std::string HelpText();

}  // namespace jprof
