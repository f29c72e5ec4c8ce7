// The rows of options.def as constants, for the parser and the texts of this module.
//
// Thread-safe: constants.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "options/options.h"
#include "sigsafe/base/types.h"

namespace jprof {

// A set of commands, built at compile time.
class CommandSet {
 public:
  template <typename... Commands>
  constexpr explicit CommandSet(Commands... commands) : bits_((Bit(commands) | ... | 0U)) {}

  constexpr bool Has(Command command) const { return (bits_ & Bit(command)) != 0; }

 private:
  static constexpr uint32_t Bit(Command command) { return 1U << static_cast<uint32_t>(command); }

  uint32_t bits_;
};

enum class OptionId {
#define JPROF_OPTION(id, ...) id,
#include "options/options.def"
};

// A group of options that help and documents show together.
enum class OptionGroup {
#define JPROF_OPTION_GROUP(id, title) id,
#include "options/options.def"
};

// Whether the option is allowed without "=value".
enum class Bare { kNeedsValue, kMayBeBare };

struct CommandRow {
  Command id;
  std::string_view name;
  std::string_view help;
};

struct OptionRow {
  OptionId id;
  std::string_view name;
  std::string_view value;
  Bare bare;
  CommandSet commands;
  std::string_view default_text;
  std::string_view min;
  std::string_view max;
  OptionGroup group;
  std::string_view help;
};

struct OptionGroupRow {
  OptionGroup id;
  std::string_view title;
};

// A value of an option and its meaning. `kind`: the kind of the value, as in the rows of the
// options that take it ("SIGNAL").
struct OptionValueRow {
  std::string_view kind;
  std::string_view name;
  std::string_view help;
};

struct EngineRow {
  OptionId option;
  SampleKind kind;
};

struct EventRow {
  std::string_view name;
  OptionId engine;
  CpuTrigger trigger;
  std::string_view help;
};

struct StackWalkerRow {
  std::string_view name;
  StackWalker walker;
  std::string_view help;
};

struct LogLevelRow {
  std::string_view name;
  LogLevel level;
  std::string_view help;
};

namespace option_table_detail {
using enum Command;
using enum Bare;
using enum OptionGroup;

inline constexpr CommandSet kEveryCommand(kStart, kStop, kDump, kStatus, kMethods, kVersion, kHelp);

inline constexpr auto kCommandRows = std::to_array<CommandRow>({
#define JPROF_COMMAND(id, name, help) {id, name, help},
#include "options/options.def"
});

inline constexpr auto kOptionRows = std::to_array<OptionRow>({
#define JPROF_OPTION(id, name, value, bare, commands, default_text, min, max, group, help) \
  {OptionId::id, name, value, bare, commands, default_text, min, max, group, help},
#include "options/options.def"
});
}  // namespace option_table_detail

inline constexpr auto& kCommands = option_table_detail::kCommandRows;
inline constexpr auto& kOptions = option_table_detail::kOptionRows;

inline constexpr auto kOptionGroups = std::to_array<OptionGroupRow>({
#define JPROF_OPTION_GROUP(id, title) {OptionGroup::id, title},
#include "options/options.def"
});

inline constexpr auto kPartOptions = std::to_array<OptionId>({
#define JPROF_PART_OPTION(id, ...) OptionId::id,
#include "options/options.def"
});

inline constexpr auto kPatternOptions = std::to_array<std::string_view>({
#define JPROF_PATTERN_OPTION(name) name,
#include "options/options.def"
});

inline constexpr auto kEngines = std::to_array<EngineRow>({
#define JPROF_ENGINE(option, kind) {OptionId::option, SampleKind::kind},
#include "options/options.def"
});

inline constexpr auto kEvents = std::to_array<EventRow>({
#define JPROF_EVENT(name, engine, trigger, help) \
  {name, OptionId::engine, CpuTrigger::trigger, help},
#include "options/options.def"
});

inline constexpr auto kStackWalkers = std::to_array<StackWalkerRow>({
#define JPROF_STACK_WALKER(name, walker, help) {name, StackWalker::walker, help},
#include "options/options.def"
});

inline constexpr auto kLogLevels = std::to_array<LogLevelRow>({
#define JPROF_LOG_LEVEL(name, level, help) {name, LogLevel::level, help},
#include "options/options.def"
});

inline constexpr auto kOptionValues = std::to_array<OptionValueRow>({
#define JPROF_VALUE(kind, name, help) {kind, name, help},
#define JPROF_EVENT(name, engine, trigger, help) {"EVENT", name, help},
#define JPROF_STACK_WALKER(name, walker, help) {"WALKER", name, help},
#define JPROF_LOG_LEVEL(name, level, help) {"LEVEL", name, help},
#include "options/options.def"
});

inline constexpr size_t kOptionCount = kOptions.size();

constexpr const OptionRow& RowOf(OptionId id) { return kOptions[static_cast<size_t>(id)]; }

constexpr const CommandRow& RowOf(Command id) { return kCommands[static_cast<size_t>(id)]; }

// True if the option or command is only for tests or for jprof itself. Help does not show such
// options and commands.
constexpr bool IsHidden(const OptionRow& row) { return row.help.empty(); }
constexpr bool IsHidden(const CommandRow& row) { return row.help.empty(); }

// True if the option selects the part of the recording that a converted file contains.
constexpr bool IsOfPart(OptionId id) {
  return std::find(kPartOptions.begin(), kPartOptions.end(), id) != kPartOptions.end();
}

// Returns the form of the option: "file=PATTERN", or "cpu[=TIME]" if the value may be left out.
inline std::string FormOf(const OptionRow& row) {
  const std::string value = "=" + std::string(row.value);
  return std::string(row.name) + (row.bare == Bare::kMayBeBare ? "[" + value + "]" : value);
}

// Returns the values of the kind ("WALKER") with their meanings; empty if they cannot be listed.
inline std::vector<OptionValueRow> ValuesOf(std::string_view kind) {
  std::vector<OptionValueRow> values;
  std::ranges::copy_if(kOptionValues, std::back_inserter(values),
                       [kind](const OptionValueRow& row) { return row.kind == kind; });
  return values;
}

// Returns the row with this name, or nullptr.
template <typename Rows>
constexpr auto FindByName(const Rows& rows, std::string_view name) -> decltype(rows.data()) {
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [name](const auto& candidate) { return candidate.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace jprof
