// SourceTexts writes the lines of the page's methods, the source files of the methods, and the
// address that opens a line in an editor. Used by one thread.
//
// The page has the source files with the most samples, up to the limits below, and says how many
// source files are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/format_row.h"
#include "formats/page/page_model.h"

namespace jprof {

class SourceTexts : public PageSection {
 public:
  static constexpr size_t kMaxFiles = 200;
  static constexpr size_t kMaxBytes = size_t{4} << 20;      // limit of all files together
  static constexpr size_t kMaxFileBytes = size_t{1} << 20;  // limit of one file

  // Uses the options `find_source` and `editor` (EditorAddress::Parse).
  explicit SourceTexts(const FormatOptions& options);

  Status Write(const PageModel& page, JsonWriter& json) override;

 private:
  const FindSource find_source_;
  const std::string editor_;
};

}  // namespace jprof
