// SourceTexts: the source files of the page's methods, and the address that opens their lines in an
// editor. One thread.
//
// Bounded: the files with the most samples are in the page, the others are said to be left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/page/page_section.h"

namespace jprof {

class SourceTexts : public PageSection {
 public:
  static constexpr size_t kMaxFiles = 200;
  static constexpr size_t kMaxBytes = size_t{4} << 20;      // of all files
  static constexpr size_t kMaxFileBytes = size_t{1} << 20;  // of one

  // `places`: folders, archives; `editor`: as EditorAddress::Parse takes it.
  SourceTexts(std::vector<std::string> places, std::string editor);

  Status Write(const PageModel& page, JsonWriter& json) override;

 private:
  const std::vector<std::string> places_;
  const std::string editor_;
};

}  // namespace jprof
