// JavaProgramOf, ProgramOf and MainOf: the program that a JVM runs.
//
// Thread-safe: no state.
#pragma once

#include <string>
#include <vector>

namespace jprof {

// Returns the main class, the jar's path (-jar), or the module (-m) in the command line; for a
// launcher other than java, the launcher's name; empty if unknown (java with @argfiles).
std::string JavaProgramOf(const std::vector<std::string>& arguments);

// Returns the program as JavaProgramOf does, but prefers the JVM's own text (jvm_texts.h), since
// the command line of java does not show the content of argument files. `java_command`: empty if
// unknown.
std::string ProgramOf(const std::vector<std::string>& arguments, const std::string& java_command);

// Returns the main class, jar or module that a launcher other than java has started; empty for
// java, or if unknown.
std::string MainOf(const std::vector<std::string>& arguments, const std::string& java_command);

}  // namespace jprof
