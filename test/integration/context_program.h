#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "support/jvm/test_paths.h"

namespace jprof::test {

// Returns the arguments of a JVM that runs a program of test/java/context. A program that repeats
// its work does so for JPROF_CONTEXT_SECONDS, or by default as few times as its test needs.
inline std::vector<std::string> ContextProgram(const std::vector<std::string>& program) {
  std::vector<std::string> arguments = {"-cp", ContextClasses()};
  if (const char* const seconds = std::getenv("JPROF_CONTEXT_SECONDS")) {
    arguments.push_back(std::string("-Dseconds=") + seconds);
  }
  arguments.insert(arguments.end(), program.begin(), program.end());
  return arguments;
}

}  // namespace jprof::test
