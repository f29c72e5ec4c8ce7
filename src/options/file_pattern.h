// ExpandFilePattern: expands the pattern of file= to a file name.
//
//   %p  process id            %t  start time, yyyyMMdd-HHmmss, local
//   %n  number of the file    %u  random, another for every file
//   %{NAME}  environment      %%  a percent sign
//
// Called once per file, before the file is opened. Thread-safe if `environment` is.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "base/result.h"

namespace jprof {

struct FilePatternContext {
  // This process, now, ::getenv.
  static FilePatternContext OfThisProcess();

  int pid;
  std::tm start_time;
  uint32_t number = 1;
  const char* (*environment)(const char* name);  // nullptr: not set
};

// Values of variables are not expanded again. A relative name stays relative. The error names the
// pattern and the fault.
Result<std::string> ExpandFilePattern(std::string_view pattern, const FilePatternContext& context);

// The pattern that expands to `text`.
std::string EscapedPattern(std::string_view text);

// Whether files started at least a second apart get different names.
bool NamesEachFile(std::string_view pattern);

}  // namespace jprof
