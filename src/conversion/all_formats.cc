#include "conversion/all_formats.h"

namespace jprof {
namespace {

constexpr std::string_view kGzip = ".gz";

constexpr FormatRow kRows[] = {
#define FORMAT_OF_BOTH JPROF_FORMAT_ROW
#define FORMAT_OF_JPROF JPROF_FORMAT_ROW
#include "formats/formats.def"
};

}  // namespace

std::optional<OutputFormat> OutputFormatOf(std::string_view path) {
  // Looks at the whole extension first, because the extension of a format can end with .gz.
  const FormatRow* row = AllFormats().OfPath(path);
  if (row == nullptr && HasExtension(path, kGzip)) {
    row = AllFormats().OfPath(path.substr(0, path.size() - kGzip.size()));
  }
  return row == nullptr ? std::nullopt : std::optional(OutputFormatOf(path, *row));
}

OutputFormat OutputFormatOf(std::string_view path, const FormatRow& row) {
  return {&row, row.content == FormatContent::kGzip || HasExtension(path, kGzip)};
}

const FormatTable& AllFormats() {
  static constexpr FormatTable kTable{kRows};
  return kTable;
}

}  // namespace jprof
