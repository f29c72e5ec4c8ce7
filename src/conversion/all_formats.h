// AllFormats: every output format of jprof. Thread-safe: immutable.
#pragma once

#include <optional>
#include <string_view>

#include "formats/format_row.h"
#include "formats/format_table.h"

namespace jprof {

// OutputFormat: what the name of an output says: its format, and whether it is compressed.
//
struct OutputFormat {
  const FormatRow* row;
  bool is_gzip = false;
};

// "out.html", "out.collapsed.gz"; nullopt: the name says no known format.
std::optional<OutputFormat> OutputFormatOf(std::string_view path);

// As OutputFormatOf, for the row that the user has named.
OutputFormat OutputFormatOf(std::string_view path, const FormatRow& row);

const FormatTable& AllFormats();

}  // namespace jprof
