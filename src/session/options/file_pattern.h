// ExpandFilePattern: the file name that the pattern of file= stands for.
//
//   %p  process id            %t  start time, yyyyMMdd-HHmmss, local
//   %n  number of the file    %{NAME}  environment      %%  a percent sign
//
// Called once per file, before it is opened. Thread-safe as far as `environment` is.
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

// What a variable holds is taken as it is, not expanded again. A relative name stays relative. The
// error names the pattern and what is wrong with it.
Result<std::string> ExpandFilePattern(std::string_view pattern, const FilePatternContext& context);

// Whether files that are begun a second or more apart get different names.
bool NamesEachFile(std::string_view pattern);

}  // namespace jprof
