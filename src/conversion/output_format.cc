#include "conversion/output_format.h"

#include "conversion/all_formats.h"

namespace jprof {
namespace {

constexpr std::string_view kGzip = ".gz";

}  // namespace

std::optional<OutputFormat> OutputFormatOf(std::string_view path) {
  const FormatRow* row = AllFormats().OfPath(path);  // first: an extension may end in .gz itself
  if (row == nullptr && HasExtension(path, kGzip)) {
    row = AllFormats().OfPath(path.substr(0, path.size() - kGzip.size()));
  }
  return row == nullptr ? std::nullopt : std::optional(OutputFormatOf(path, *row));
}

OutputFormat OutputFormatOf(std::string_view path, const FormatRow& row) {
  return {&row, row.content == FormatContent::kGzip || HasExtension(path, kGzip)};
}

}  // namespace jprof
