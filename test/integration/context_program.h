// ContextProgram: the arguments of a JVM that runs a program of test/java/context.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "support/jvm/test_paths.h"

namespace jprof::test {

// A program that makes rounds goes on for JPROF_CONTEXT_SECONDS, by default for as few as tell.
inline std::vector<std::string> ContextProgram(const std::vector<std::string>& program) {
  std::vector<std::string> arguments = {"-cp", ContextClasses()};
  if (const char* const seconds = std::getenv("JPROF_CONTEXT_SECONDS")) {
    arguments.push_back(std::string("-Dseconds=") + seconds);
  }
  arguments.insert(arguments.end(), program.begin(), program.end());
  return arguments;
}

}  // namespace jprof::test
