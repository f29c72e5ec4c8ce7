// FormatTable has the output formats of a program and finds them by name or by file extension. This
// file also declares the functions of formats.def. Thread-safe: immutable.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/format_row.h"

namespace jprof {

// Declares the functions that formats.def names. Each function makes the writer of one format. Most
// of the functions are defined in modules that depend on this module.
#define FORMAT_OF_BOTH(name, extensions, viewer, kinds, lines, content, make, ...) \
  std::unique_ptr<FormatWriter> make(const FormatOptions& options);
#define FORMAT_OF_JPROF FORMAT_OF_BOTH
#include "formats/formats.def"

class FormatTable {
 public:
  // REQUIRES: the rows outlive the table.
  explicit constexpr FormatTable(std::span<const FormatRow> rows) : rows_(rows) {}

  std::span<const FormatRow> rows() const { return rows_; }

  // Returns the format with the extension of `path`, in upper or lower case; nullptr if there is
  // none.
  const FormatRow* OfPath(std::string_view path) const;
  // Returns the format with this name; nullptr if there is none.
  const FormatRow* Named(std::string_view name) const;

  // Returns the error for a path whose extension belongs to no format. Its message offers `other`
  // and then the extensions of the formats.
  Error UnknownFormat(const std::string& path, std::string_view other = {}) const;

  // Returns ".html, .collapsed or .txt", for messages and help.
  std::string Extensions() const;

 private:
  std::span<const FormatRow> rows_;
};

// True if the extension is .jfr, in upper or lower case.
bool IsRecordingPath(std::string_view path);

// True if `path` ends with `extension`, in upper or lower case. REQUIRES: `extension` is in lower
// case.
bool HasExtension(std::string_view path, std::string_view extension);

}  // namespace jprof
