// The version of the library, from the project's CMakeLists.txt.
#pragma once

namespace jprof {

inline constexpr char kVersion[] = JPROF_VERSION;

}  // namespace jprof
