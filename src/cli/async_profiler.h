// The rows of async_profiler.def: what people type who know async-profiler's command line.
//
// Thread-safe: no state.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/cli_table.h"

namespace jprof {

struct AsyncProfilerCommand {
  std::string_view word;
  std::string_view command;  // of ours; empty: none means the same
  std::string_view advice;   // then
};

struct AsyncProfilerOption {
  std::string_view letter;
  std::string_view name;
  std::string_view value;
  std::string_view ours;    // the name of our option; empty: none means the same
  std::string_view advice;  // then
};

std::span<const AsyncProfilerCommand> AsyncProfilerCommands();
std::span<const AsyncProfilerOption> AsyncProfilerOptions();

// nullptr: not one of its words. `word`: with its dashes.
const AsyncProfilerCommand* FindAsyncProfilerCommand(std::string_view word);
const AsyncProfilerOption* FindAsyncProfilerOption(std::string_view word);

// What to write instead, if the value means something to asprof that it does not mean to us.
std::optional<std::string> AsyncProfilerValueAdvice(std::string_view option,
                                                    std::string_view value);

// The section of docs/cli.md.
std::string AsyncProfilerMarkdown();

}  // namespace jprof
