// AllFormats returns every output format of jprof. OutputFormatOf returns the format that belongs
// to the name of an output file. Thread-safe: immutable.
#pragma once

#include <optional>
#include <string_view>

#include "formats/format_row.h"
#include "formats/format_table.h"

namespace jprof {

// OutputFormat is the format of an output, and whether the output is compressed.
struct OutputFormat {
  const FormatRow* row;
  bool is_gzip = false;
};

// Returns the format of a name such as "out.html" or "out.collapsed.gz"; nullopt if the extension
// belongs to no format.
std::optional<OutputFormat> OutputFormatOf(std::string_view path);

// Returns the format `row`, which the user has chosen by its name. The output is compressed if
// `path` ends with .gz or if the format is always compressed.
OutputFormat OutputFormatOf(std::string_view path, const FormatRow& row);

// Returns all formats of formats.def.
const FormatTable& AllFormats();

}  // namespace jprof
