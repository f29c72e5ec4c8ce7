#include "cli/convert/result_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <string_view>

#include "base/output_place.h"
#include "base/printable_text.h"
#include "base/scaled_text.h"
#include "conversion/all_formats.h"
#include "options/file_pattern.h"
#include "options/option_table.h"

namespace jprof {
namespace {

constexpr std::string_view kRecordingViewer =
    "jprof open shows it, jprof view prints tables of it; JDK Mission Control reads it";

}  // namespace

Outcome<std::string> AbsoluteOutput(const std::string& path) {
  if (path.empty() || path.back() == '/') {
    return Failure(FailureKind::kUsage, "--output '" + path + "' names a folder: add a file name");
  }
  if (path.front() == '/') return path;
  char folder[PATH_MAX];
  if (getcwd(folder, sizeof folder) == nullptr) {
    return Failure(FailureKind::kFile, Error::FromErrno("find", "the working folder of " + path));
  }
  return std::string(folder) + '/' + path;
}

Outcome<std::string> WantedPath(const CommandLine& line, pid_t pid) {
  const bool named = line.Has(NameOf(CliOption::kOutput));
  FilePatternContext context = FilePatternContext::OfThisProcess();
  context.pid = pid;
  const Result<std::string> path = ExpandFilePattern(
      named ? line.Value(CliOption::kOutput) : std::string(RowOf(OptionId::kFile).default_text),
      context);
  if (!path) return Failure(FailureKind::kUsage, path.error());
  const Outcome<std::string> absolute = AbsoluteOutput(path.value());
  if (!absolute || named) return absolute;
  return FreeName(absolute.value());
}

std::string FreeName(const std::string& path) {
  std::string free = path;
  struct stat taken;
  for (int number = 2; lstat(free.c_str(), &taken) == 0; ++number) {
    free = WithSuffix(path, "-" + std::to_string(number));
  }
  return free;
}

std::string ResultLine(const std::string& path, const std::optional<OutputFormat>& format) {
  struct stat file;
  const int64_t bytes = stat(path.c_str(), &file) == 0 ? file.st_size : 0;
  return PrintableText(path, Layout::kEscape) + " (" + KilobytesText(static_cast<uint64_t>(bytes)) +
         "): " + std::string(format ? format->row->viewer : kRecordingViewer) + '\n';
}

Failure NoKnownFormat(const std::string& path) {
  return {FailureKind::kUsage, AllFormats().UnknownFormat(path, ".jfr, ")};
}

}  // namespace jprof
