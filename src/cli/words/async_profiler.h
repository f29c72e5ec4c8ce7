// The rows of async_profiler.def: the commands and options of async-profiler's command line.
//
// Thread-safe: no state.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/words/cli_table.h"

namespace jprof {

struct AsyncProfilerCommand {
  std::string_view word;
  std::string_view command;  // the equivalent of jprof; empty: none
  std::string_view advice;   // if there is none
};

struct AsyncProfilerOption {
  std::string_view letter;
  std::string_view name;
  std::string_view value;
  std::string_view ours;    // the equivalent option of jprof; empty: none
  std::string_view advice;  // if there is none
};

std::span<const AsyncProfilerCommand> AsyncProfilerCommands();
std::span<const AsyncProfilerOption> AsyncProfilerOptions();

// nullptr: unknown to async-profiler. `word` includes the dashes.
const AsyncProfilerCommand* FindAsyncProfilerCommand(std::string_view word);
const AsyncProfilerOption* FindAsyncProfilerOption(std::string_view word);

// The replacement for a value that has a meaning to asprof only.
std::optional<std::string> AsyncProfilerValueAdvice(std::string_view option,
                                                    std::string_view value);

// The section of docs/cli.md.
std::string AsyncProfilerMarkdown();

}  // namespace jprof
