// JavaProgramOf and ProgramOf: the program that a JVM runs.
//
// Thread-safe: no state.
#pragma once

#include <string>
#include <vector>

namespace jprof {

// The main class, the jar's path (-jar), or the module (-m); for a launcher other than java, the
// launcher's name; empty if unknown (java with @argfiles).
std::string JavaProgramOf(const std::vector<std::string>& arguments);

// As JavaProgramOf, and as the JVM itself says (jvm_texts.h): the command line of java does not
// tell what is in argument files. `java_command`: empty if unknown.
std::string ProgramOf(const std::vector<std::string>& arguments, const std::string& java_command);

// The main class, jar or module that a launcher of another name than java has started; empty for
// java, or if unknown.
std::string MainOf(const std::vector<std::string>& arguments, const std::string& java_command);

}  // namespace jprof
