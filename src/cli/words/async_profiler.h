// The rows of async_profiler.def: the commands and options of async-profiler's command line, each
// with its equivalent in jprof or, if there is none, with advice.
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
  std::string_view command;  // the equivalent command of jprof; empty if there is none
  std::string_view advice;   // what to do if there is no equivalent
};

struct AsyncProfilerOption {
  std::string_view letter;
  std::string_view name;
  std::string_view value;
  std::string_view ours;    // the equivalent option of jprof; empty if there is none
  std::string_view advice;  // what to do if there is no equivalent
};

struct AsyncProfilerFormat {
  std::string_view name;
  std::string_view extension;  // extension of jprof's files; empty if jprof writes no such files
};

std::span<const AsyncProfilerCommand> AsyncProfilerCommands();
std::span<const AsyncProfilerOption> AsyncProfilerOptions();
std::span<const AsyncProfilerFormat> AsyncProfilerFormats();

// FindAsyncProfilerCommand and FindAsyncProfilerOption return the row of `word`, or nullptr if
// async-profiler has no such command or option. `word`: with its dashes.
const AsyncProfilerCommand* FindAsyncProfilerCommand(std::string_view word);
const AsyncProfilerOption* FindAsyncProfilerOption(std::string_view word);

// If only asprof understands this value of the option, returns advice on what to write for jprof
// instead; otherwise returns nullopt.
std::optional<std::string> AsyncProfilerValueAdvice(std::string_view option,
                                                    std::string_view value);

}  // namespace jprof
