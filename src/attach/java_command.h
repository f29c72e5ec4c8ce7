// JavaProgramOf, ProgramOf and MainOf determine which program a JVM runs.
//
// Thread-safe: no state.
#pragma once

#include <string>
#include <vector>

namespace jprof {

// Returns the main class, the path of the jar (-jar), or the module (-m) that the command line of
// java names; empty if it names none (@argfiles). For a launcher other than java, returns the
// launcher's name.
std::string JavaProgramOf(const std::vector<std::string>& arguments);

// Returns the program as JavaProgramOf does, but for java prefers `java_command`, the JVM's own
// text (jvm_texts.h), which also reflects argument files. `java_command`: empty if unknown.
std::string ProgramOf(const std::vector<std::string>& arguments, const std::string& java_command);

// Returns the main class, jar or module that a launcher other than java has started; empty for
// java, or if unknown.
std::string MainOf(const std::vector<std::string>& arguments, const std::string& java_command);

}  // namespace jprof
