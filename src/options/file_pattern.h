// ExpandFilePattern: expands the pattern of file= to a file name.
//
//   %p  process id                     %t  local start time, yyyyMMdd-HHmmss
//   %n  number of the file             %u  random number, new for every file
//   %{NAME}  environment variable      %%  percent sign
//
// A pattern is expanded once per file, before the file is opened. Thread-safe if `environment` is.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "base/result.h"

namespace jprof {

struct FilePatternContext {
  // Returns the context of this process, the current time and ::getenv.
  static FilePatternContext OfThisProcess();

  int pid;
  std::tm start_time;
  uint32_t number = 1;
  const char* (*environment)(const char* name);  // value of a variable; nullptr if it is not set
};

// Returns the file name. Values of variables are not expanded again; a relative name stays
// relative. The error names the pattern and the fault.
Result<std::string> ExpandFilePattern(std::string_view pattern, const FilePatternContext& context);

// Returns the pattern that expands to `text`.
std::string EscapedPattern(std::string_view text);

// True if files that are started at least a second apart get different names.
bool NamesEachFile(std::string_view pattern);

}  // namespace jprof
