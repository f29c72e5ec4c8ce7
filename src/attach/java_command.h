// JavaProgramOf, ProgramOf and MainOf determine which program a JVM runs.
//
// Thread-safe: no state.
#pragma once

#include <string>
#include <vector>

namespace jprof {

// Returns the main class, the path of the jar (-jar), or the module (-m) that the command line of
// java names; empty if it names none, for example because the program is in an argument file
// (@argfiles). For a launcher other than java, returns the launcher's name.
std::string JavaProgramOf(const std::vector<std::string>& arguments);

// Returns the program that the JVM runs. If the launcher is java, this is the program in
// `java_command`, the JVM's own text (jvm_texts.h), which also reflects argument files. If
// `java_command` is empty (unknown), or for another launcher, returns the result of JavaProgramOf.
std::string ProgramOf(const std::vector<std::string>& arguments, const std::string& java_command);

// If the launcher is not java, returns the main class, jar or module that it has started; empty if
// this is unknown. For java, returns an empty text.
std::string MainOf(const std::vector<std::string>& arguments, const std::string& java_command);

}  // namespace jprof
