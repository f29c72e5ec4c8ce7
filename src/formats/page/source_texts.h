// SourceTexts: the lines of the page's methods, their source files, and the address that opens
// lines in an editor. One thread.
//
// Bounded: the files with the most samples are in the page, the others are said to be left out.
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
  static constexpr size_t kMaxBytes = size_t{4} << 20;      // of all files
  static constexpr size_t kMaxFileBytes = size_t{1} << 20;  // of one

  // By its `find_source` and `editor`, which EditorAddress::Parse takes.
  explicit SourceTexts(const FormatOptions& options);

  Status Write(const PageModel& page, JsonWriter& json) override;

 private:
  const FindSource find_source_;
  const std::string editor_;
};

}  // namespace jprof
