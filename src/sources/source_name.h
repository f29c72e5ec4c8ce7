// Names of source files. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jprof {

// By its extension: .java, .kt, .scala and so on.
bool IsSourceName(std::string_view path);

// The relative paths at which the source of a class may be, the likeliest first; none for names
// that are no class, or no source file, such as those with "..".
std::vector<std::string> SourcePathsOf(std::string_view class_name, std::string_view file_name);

}  // namespace jprof
