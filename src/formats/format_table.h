// FormatTable: the output formats that a program has. Thread-safe: immutable.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/format_row.h"

namespace jprof {

class FormatTable {
 public:
  // REQUIRES: the rows outlive the table.
  explicit constexpr FormatTable(std::span<const FormatRow> rows) : rows_(rows) {}

  std::span<const FormatRow> rows() const { return rows_; }

  // By the extension, in upper or lower case; nullptr: none.
  const FormatRow* OfPath(std::string_view path) const;
  const FormatRow* Named(std::string_view name) const;

  // The error for a path whose extension is of no format; `other`: what else can be done.
  Error UnknownFormat(const std::string& path, std::string_view other = {}) const;

  // ".html, .collapsed or .txt"; for messages and help.
  std::string Extensions() const;

 private:
  std::span<const FormatRow> rows_;
};

// Whether the extension is .jfr.
bool IsRecordingPath(std::string_view path);

// Whether `path` ends with `extension`, which is in lower case, in upper or lower case.
bool HasExtension(std::string_view path, std::string_view extension);

}  // namespace jprof
