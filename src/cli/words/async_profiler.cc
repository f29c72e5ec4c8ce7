#include "cli/words/async_profiler.h"

#include <algorithm>
#include <array>

#include "options/error_text.h"
#include "options/option_table.h"

namespace jprof {
namespace {

constexpr auto kCommandRows = std::to_array<AsyncProfilerCommand>({
#define JPROF_ASYNC_PROFILER_COMMAND(word, command, advice) {word, command, advice},
#include "cli/words/async_profiler.def"
});

constexpr auto kOptionRows = std::to_array<AsyncProfilerOption>({
#define JPROF_ASYNC_PROFILER_OPTION(letter, name, value, ours, advice) \
  {letter, name, value, ours, advice},
#include "cli/words/async_profiler.def"
});

constexpr auto kFormats = std::to_array<AsyncProfilerFormat>({
#define JPROF_ASYNC_PROFILER_FORMAT(name, extension) {name, extension},
#include "cli/words/async_profiler.def"
});

template <typename Rows, typename Matches>
auto Find(const Rows& rows, Matches matches) -> decltype(rows.data()) {
  const auto row = std::ranges::find_if(rows, matches);
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace

std::span<const AsyncProfilerCommand> AsyncProfilerCommands() { return kCommandRows; }
std::span<const AsyncProfilerOption> AsyncProfilerOptions() { return kOptionRows; }
std::span<const AsyncProfilerFormat> AsyncProfilerFormats() { return kFormats; }

const AsyncProfilerCommand* FindAsyncProfilerCommand(std::string_view word) {
  return Find(kCommandRows, [&](const AsyncProfilerCommand& row) { return row.word == word; });
}

const AsyncProfilerOption* FindAsyncProfilerOption(std::string_view word) {
  return Find(kOptionRows, [&](const AsyncProfilerOption& row) {
    return (!row.letter.empty() && word == "-" + std::string(row.letter)) ||
           (!row.name.empty() && word == "--" + std::string(row.name));
  });
}

std::optional<std::string> AsyncProfilerValueAdvice(std::string_view option,
                                                    std::string_view value) {
  if (option == NameOf(CliOption::kOutput)) {
    const AsyncProfilerFormat* format = FindByName(kFormats, value);
    if (format == nullptr) return std::nullopt;
    if (format->extension.empty()) {
      return Quote(value) +
             " is a format that is not made here: -o NAME.collapsed has a line for "
             "each stack";
    }
    return "the format is told by the file's name here: write -o NAME" +
           std::string(format->extension);
  }
  if (option == RowOf(OptionId::kLogFile).name && FindByName(kLogLevels, value) != nullptr) {
    return "--log names a file here: write --loglevel " + std::string(value);
  }
  const bool is_list = value.find_first_not_of("0123456789,-") == std::string_view::npos &&
                       value.find(',') != std::string_view::npos;
  if (option == RowOf(OptionId::kFilter).name && is_list) {
    std::string joined(value);
    std::ranges::replace(joined, ',', '+');
    return "threads are joined by + here: write --filter " + joined;
  }
  return std::nullopt;
}

}  // namespace jprof
