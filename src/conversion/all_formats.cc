#include "conversion/all_formats.h"

#include "formats/collapsed.h"
#include "formats/firefox/firefox_writer.h"
#include "formats/full_page/full_page.h"
#include "formats/otlp/otlp_writer.h"
#include "formats/pprof/pprof_writer.h"
#include "formats/text/flat_writer.h"
#include "formats/text/tree_writer.h"

namespace jprof {
namespace {

constexpr FormatRow kRows[] = {
#define FORMAT JPROF_FORMAT_ROW
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
