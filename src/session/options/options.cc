#include "session/options/options.h"

#include <charconv>
#include <system_error>

#include "session/options/engine_choice.h"
#include "session/options/given_words.h"
#include "session/options/option_table.h"
#include "session/options/wording.h"

namespace jprof {
namespace {

// Digits only; nothing when `text` is anything else or does not fit.
std::optional<int32_t> ParseCount(std::string_view text) {
  uint32_t count = 0;  // unsigned, so that from_chars takes no sign
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, count);
  if (status != std::errc() || rest != end || count > INT32_MAX) return std::nullopt;
  return static_cast<int32_t>(count);
}

Result<int32_t> ParseDepth(const GivenWords& words) {
  const OptionRow& row = RowOf(OptionId::kStackDepth);
  const auto depth = ParseCount(words.Value(row.id).value_or(row.default_text));
  if (!depth || depth < ParseCount(row.min) || depth > ParseCount(row.max)) {
    return Error(Quote(words.Word(row.id)) + " is out of range: accepted is a whole number from " +
                 std::string(row.min) + " to " + std::string(row.max));
  }
  return *depth;
}

Status ReadStartOptions(const GivenWords& words, Options* options) {
  if (Status status = ChooseEngines(words, options); !status.ok()) return status;
  const Result<int32_t> depth = ParseDepth(words);
  if (!depth.ok()) return depth.error();
  options->max_depth = depth.value();
  if (!options->file) options->file = RowOf(OptionId::kFile).default_text;
  return {};
}

Status ReadLogLevel(std::string_view name, Options* options) {
  const LogLevelRow* row = FindByName(kLogLevels, name);
  if (row == nullptr) return Error(UnknownName("log level", name, NamesOf(kLogLevels)));
  options->log_level = row->level;
  return {};
}

}  // namespace

Result<Options> ParseOptions(std::string_view text) {
  const Result<GivenWords> split = GivenWords::Split(text);
  if (!split.ok()) return split.error();
  const GivenWords& words = split.value();

  Options options;
  options.command = words.command();
  options.file = words.Value(OptionId::kFile);
  options.log_file = words.Value(OptionId::kLogFile);
  if (const auto level = words.Value(OptionId::kLogLevel)) {
    if (Status status = ReadLogLevel(*level, &options); !status.ok()) return status.error();
  }
  if (options.command == Command::kStart) {
    if (Status status = ReadStartOptions(words, &options); !status.ok()) return status.error();
  }
  return options;
}

}  // namespace jprof
