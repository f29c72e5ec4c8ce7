// Functions for the names of source files. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jprof {

// True if the extension is that of a source: .java, .kt, .scala and so on.
bool IsSourceName(std::string_view path);

// Returns the relative paths at which the source of a class can be, the likeliest first. Returns no
// paths if one of the two names is invalid, such as "..".
std::vector<std::string> SourcePathsOf(std::string_view class_name, std::string_view file_name);

}  // namespace jprof
