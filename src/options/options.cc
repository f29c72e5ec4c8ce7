#include "options/options.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <iterator>
#include <system_error>

#include "base/engine_signals.h"
#include "options/choices.h"
#include "options/error_text.h"
#include "options/file_pattern.h"
#include "options/option_table.h"
#include "options/output_part.h"
#include "options/parsed_arguments.h"
#include "options/quantity.h"

namespace jprof {
namespace {

// Parses digits; nullopt if `text` is anything else or the number is too large.
std::optional<int32_t> ParseCount(std::string_view text) {
  uint32_t count = 0;  // unsigned, so that from_chars takes no sign
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, count);
  if (status != std::errc() || rest != end || count > INT32_MAX) return std::nullopt;
  return static_cast<int32_t>(count);
}

// Reads the value of jstackdepth=: N or N/M. Of a stack that is deeper than N, N frames are kept, M
// of them at the root. Without M, a quarter of the N frames are at the root.
Status ReadDepth(const ParsedArguments& words, Options* options) {
  constexpr int32_t kRootShare = 4;
  const OptionRow& row = RowOf(OptionId::kStackDepth);
  const std::string_view text = words.ValueOf(row.id).value_or(row.default_text);
  const size_t slash = text.find('/');
  const auto depth = ParseCount(text.substr(0, slash));
  if (!depth || depth < ParseCount(row.min) || depth > ParseCount(row.max)) {
    return Error(Quote(words.Word(row.id)) + " is out of range: accepted is a whole number from " +
                 std::string(row.min) + " to " + std::string(row.max));
  }
  options->max_depth = *depth;
  options->root_depth = *depth / kRootShare;
  if (slash == std::string_view::npos) return {};
  const auto root = ParseCount(text.substr(slash + 1));
  if (!root || *root >= *depth) {
    return Error(Quote(words.Word(row.id)) +
                 " is out of range: of N/M, M is a whole number below N");
  }
  options->root_depth = *root;
  return {};
}

using ParseNumber = Result<int64_t> (*)(std::string_view text);

Result<int64_t> ParseInRange(const ParsedArguments& words, OptionId option, ParseNumber parse) {
  const OptionRow& row = RowOf(option);
  const std::string_view text = words.ValueOf(option).value_or(row.default_text);
  const Result<int64_t> number = parse(text);
  const std::string range = ": accepted is " + std::string(row.min) + " to " + std::string(row.max);
  if (!number.ok()) {
    return Error(Quote(words.Word(option)) + " " + number.error().message() + range);
  }
  if (number.value() < parse(row.min).value() || number.value() > parse(row.max).value()) {
    return Error(
        Quote(words.Word(option)) + " is out of range" + range +
        UnitlessNumberHint(text, parse == ParseByteSize ? "sizes are bytes" : "times are seconds"));
  }
  return number;
}

Status ReadLimits(const ParsedArguments& words, Options* options) {
  const Result<int64_t> chunk_time = ParseInRange(words, OptionId::kChunkTime, ParseDuration);
  if (!chunk_time.ok()) return chunk_time.error();
  const Result<int64_t> chunk_size = ParseInRange(words, OptionId::kChunkSize, ParseByteSize);
  if (!chunk_size.ok()) return chunk_size.error();
  const Result<int64_t> memory = ParseInRange(words, OptionId::kMemLimit, ParseByteSize);
  if (!memory.ok()) return memory.error();
  options->chunk_time_ns = chunk_time.value();
  options->chunk_bytes = chunk_size.value();
  options->memory_bytes = memory.value();
  return {};
}

// Reads the value of `option`, a time or a size, if the option is given.
Status ReadOptional(const ParsedArguments& words, OptionId option, ParseNumber parse,
                    std::optional<int64_t>* value) {
  if (!words.Has(option)) return {};
  const Result<int64_t> number = ParseInRange(words, option, parse);
  if (!number.ok()) return number.error();
  *value = number.value();
  return {};
}

Status ReadSeries(const ParsedArguments& words, Options* options) {
  Status status = ReadOptional(words, OptionId::kLoop, ParseDuration, &options->loop_ns);
  if (status) status = ReadOptional(words, OptionId::kMaxAge, ParseDuration, &options->max_age_ns);
  if (status) status = ReadOptional(words, OptionId::kMaxSize, ParseByteSize, &options->max_bytes);
  if (!status) return status;
  for (const OptionId limit : {OptionId::kMaxAge, OptionId::kMaxSize}) {
    if (words.Has(limit) && !options->loop_ns) {
      return Error(Quote(words.Word(limit)) + " removes whole files: it needs " +
                   words.Spell(OptionId::kLoop, "TIME"));
    }
  }
  if (options->loop_ns && !NamesEachFile(*options->file)) {
    return Error(Quote(words.Word(OptionId::kLoop)) +
                 " needs %n or %t in the file's name, which is " + Quote(*options->file));
  }
  return {};
}

Status ReadFilter(const ParsedArguments& words, Options* options) {
  const auto text = words.ValueOf(OptionId::kFilter);
  if (!text) return {};
  Result<ThreadFilter> filter = ThreadFilter::Parse(*text);
  if (!filter.ok()) {
    return Error(Quote(words.Word(OptionId::kFilter)) + " " + filter.error().message());
  }
  options->filter = std::move(filter).value();
  return {};
}

// Reads an option whose value is METHODS. Leaves `patterns` empty if it is not given.
Status ReadMethods(const ParsedArguments& words, OptionId option,
                   std::vector<MethodPattern>* patterns) {
  if (!words.Has(option)) return {};
  Result<std::vector<MethodPattern>> parsed =
      ParseMethodPatterns(words.ValueOf(option).value_or(RowOf(option).default_text));
  if (!parsed) return Error(Quote(words.Word(option)) + " " + parsed.error().message());
  *patterns = std::move(parsed).value();
  return {};
}

Status ReadValidation(const ParsedArguments& words, Options* options) {
  ValidationChoice& choice = options->validation;
  Status read = words.ReadSwitch(OptionId::kAgct, &choice.asgct);
  if (read) read = ReadMethods(words, OptionId::kValidate, &choice.methods);
  if (read) read = ReadMethods(words, OptionId::kExact, &choice.exact);
  if (!read) return read;
  const bool compares = choice.is_given() || !choice.exact.empty();
  for (const OptionId addition : {OptionId::kShare, OptionId::kAgct}) {
    if (!words.Has(addition)) continue;
    if (addition == OptionId::kAgct ? choice.is_given() : compares) continue;
    return Error(Quote(words.Word(addition)) + " is for comparisons: add " +
                 words.Spell(OptionId::kValidate));
  }
  if (!compares) return {};
  const OptionRow& share = RowOf(OptionId::kShare);
  const Result<double> given = ParseShare(words.ValueOf(share.id).value_or(share.max));
  if (!given) return Error(Quote(words.Word(share.id)) + " " + given.error().message());
  if (given.value() < ParseShare(share.min).value()) {
    return Error(Quote(words.Word(share.id)) + " is out of range: accepted is " +
                 std::string(share.min) + " to " + std::string(share.max));
  }
  choice.share = given.value();
  return {};
}

Status ReadStackWalker(const ParsedArguments& words, Options* options) {
  const OptionRow& option = RowOf(OptionId::kStackWalker);
  const std::string_view name = words.ValueOf(option.id).value_or(option.default_text);
  const StackWalkerRow* row = FindByName(kStackWalkers, name);
  if (row == nullptr) return Error(UnknownName("stack walker", name, NamesOf(kStackWalkers)));
  options->walker = row->walker;
  return {};
}

// Reads audit=. REQUIRES: the engines and the walker have been read.
Status ReadAudit(const ParsedArguments& words, Options* options) {
  const OptionRow& option = RowOf(OptionId::kAudit);
  const Result<double> share = ParseShare(words.ValueOf(option.id).value_or(option.default_text));
  if (!share) return Error(Quote(words.Word(option.id)) + " " + share.error().message());
  options->audit_share = share.value();
  if (share.value() == 0) return {};
  if (!options->samples[SampleKind::kAlloc].enabled() &&
      !options->samples[SampleKind::kLock].enabled()) {
    return Error(Quote(words.Word(option.id)) + " is for samples of allocations and locks: add " +
                 words.Spell(OptionId::kAlloc) + " or " + words.Spell(OptionId::kLock));
  }
  if (options->walker != StackWalker::kAgct) return {};
  return Error(Quote(words.Word(option.id)) + " is for stacks that jprof walks itself: leave out " +
               Quote(words.Word(OptionId::kStackWalker)));
}

Status ReadOfAlloc(const ParsedArguments& words, OptionId option, const Options& options,
                   bool* value) {
  const auto given = words.SwitchOf(option);
  if (!given.ok()) return given.error();
  *value = given.value().value_or(false);
  if (!*value || options.samples[SampleKind::kAlloc].enabled()) return {};
  return Error(Quote(words.Word(option)) + " is for allocations: add " +
               words.Spell(OptionId::kAlloc));
}

Status ReadSwitches(const ParsedArguments& words, Options* options) {
  const auto task_watcher = words.SwitchOf(OptionId::kTlsWatcher);
  if (!task_watcher.ok()) return task_watcher.error();
  const auto kernel = words.SwitchOf(OptionId::kKernel);
  if (!kernel.ok()) return kernel.error();
  if (Status status = ReadOfAlloc(words, OptionId::kTlab, *options, &options->tlab_events);
      !status) {
    return status;
  }
  if (Status status = ReadOfAlloc(words, OptionId::kLive, *options, &options->live); !status) {
    return status;
  }
  options->task_watcher = task_watcher.value();
  options->kernel_frames = kernel.value().value_or(false) ? KernelFrames::kYes : KernelFrames::kNo;
  if (options->kernel_frames == KernelFrames::kYes &&
      !options->samples[SampleKind::kCpu].enabled()) {
    return Error(Quote(words.Word(OptionId::kKernel)) + " is for CPU samples: add " +
                 words.Spell(OptionId::kCpu));
  }
  return {};
}

Status ReadSignal(const ParsedArguments& words, Options* options) {
  const auto text = words.ValueOf(OptionId::kSignal);
  if (!text) return {};
  const std::string word = Quote(words.Word(OptionId::kSignal));
  options->cpu_signal = FindCpuSignal(*text);
  if (!options->cpu_signal) {
    return Error(word + " is none of " + Join(NamesOf(kCpuSignals)));
  }
  if (!options->samples[SampleKind::kCpu].enabled()) {
    return Error(word + " is for CPU samples: add " + words.Spell(OptionId::kCpu));
  }
  if (options->cpu_trigger == CpuTrigger::kProcessTimer && options->cpu_signal != SIGPROF) {
    return Error(word + " cannot be had with " + words.Spell(OptionId::kEvent, "itimer") +
                 ": the kernel sends SIGPROF for it");
  }
  return {};
}

Result<PrimingPaths> ParsePrimingPaths(std::string_view text) {
  PrimingPaths paths = PrimingPaths::None();
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('+', begin), text.size());
    const std::string_view name = text.substr(begin, end - begin);
    const auto* const known = std::ranges::find(kPrimingPathNames, name);
    if (known == std::end(kPrimingPathNames)) {
      return Error(UnknownName("priming path", name,
                               {std::begin(kPrimingPathNames), std::end(kPrimingPathNames)}));
    }
    const auto path = static_cast<PrimingPath>(known - std::begin(kPrimingPathNames));
    if (paths.Has(path)) return Error(Quote(name) + " is given twice");
    paths.Add(path);
    begin = end + 1;
  }
  return paths;
}

Status ReadPriming(const ParsedArguments& words, Options* options) {
  const OptionRow& row = RowOf(OptionId::kPriming);
  const Result<PrimingPaths> paths =
      ParsePrimingPaths(words.ValueOf(row.id).value_or(row.default_text));
  if (!paths.ok()) return Error(Quote(words.Word(row.id)) + ": " + paths.error().message());
  options->priming = paths.value();
  return {};
}

Status ReadStartOptions(const ParsedArguments& words, Options* options) {
  if (Status status = ChooseEngines(words, options); !status.ok()) return status;
  if (Status status = ReadDepth(words, options); !status.ok()) return status;
  if (Status status = ReadStackWalker(words, options); !status.ok()) return status;
  if (Status status = ReadAudit(words, options); !status.ok()) return status;
  if (Status status = ReadMethods(words, OptionId::kTrace, &options->traced); !status.ok()) {
    return status;
  }
  if (Status status = ReadValidation(words, options); !status.ok()) return status;
  if (Status status = ReadFilter(words, options); !status.ok()) return status;
  if (Status status = ReadWindow(words, options); !status.ok()) return status;
  if (Status status = ReadContext(words, options); !status.ok()) return status;
  if (Status status = ReadSwitches(words, options); !status.ok()) return status;
  if (Status status = ReadSignal(words, options); !status.ok()) return status;
  if (Status status = ReadPriming(words, options); !status.ok()) return status;
  if (Status status = ReadLimits(words, options); !status.ok()) return status;
  const Status timeout =
      ReadOptional(words, OptionId::kTimeout, ParseDuration, &options->timeout_ns);
  if (!timeout.ok()) return timeout;
  if (!options->file) options->file = RowOf(OptionId::kFile).default_text;
  if (Status status = ReadOutputPart(words, &options->part); !status.ok()) return status;
  return ReadSeries(words, options);
}

Status ReadLogLevel(std::string_view name, Options* options) {
  const LogLevelRow* row = FindByName(kLogLevels, name);
  if (row == nullptr) return Error(UnknownName("log level", name, NamesOf(kLogLevels)));
  options->log_level = row->level;
  return {};
}

}  // namespace

Result<Options> ParseOptions(std::string_view text) {
  const Result<ParsedArguments> words = ParsedArguments::Parse(text);
  Result<Options> options = words.ok() ? ParseOptions(words.value()) : words.error();
  if (options.ok() || options.error().kind() != ErrorKind::kOther) return options;
  return Error(options.error().message(), ErrorKind::kInvalidCommand);
}

Result<Options> ParseOptions(const ParsedArguments& words) {
  Options options;
  options.command = words.command();
  options.file = words.ValueOf(OptionId::kFile);
  options.log_file = words.ValueOf(OptionId::kLogFile);
  options.answer_file = words.ValueOf(OptionId::kAnswer);
  options.lease_file = words.ValueOf(OptionId::kLease);
  if (const auto level = words.ValueOf(OptionId::kLogLevel)) {
    if (Status status = ReadLogLevel(*level, &options); !status.ok()) return status.error();
  }
  const auto gc = words.SwitchOf(OptionId::kGc);
  if (!gc) return gc.error();
  options.force_collection = gc.value().value_or(false);
  if (options.command == Command::kStart) {
    if (Status status = ReadStartOptions(words, &options); !status.ok()) return status.error();
  }
  return options;
}

}  // namespace jprof
