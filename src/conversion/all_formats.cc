#include "conversion/all_formats.h"

#include "formats/collapsed.h"
#include "formats/full_page/full_page.h"

namespace jprof {
namespace {

constexpr FormatRow kRows[] = {
#define FORMAT(name, extensions, viewer, kinds, lines, content, make) \
  {name,                                                              \
   extensions,                                                        \
   viewer,                                                            \
   FormatKinds::kinds,                                                \
   profile::LineNumbers::lines,                                       \
   FormatContent::content,                                            \
   make},
#define FORMAT_OF_AGENT(...)
#define FORMAT_OF_JPROF FORMAT
#include "formats/core_formats.def"
//
#include "conversion/offline_formats.def"
#undef FORMAT_OF_JPROF
#undef FORMAT_OF_AGENT
#undef FORMAT
};

}  // namespace

const FormatTable& AllFormats() {
  static constexpr FormatTable kTable{kRows};
  return kTable;
}

}  // namespace jprof
