#include "conversion/all_formats.h"

#include "formats/collapsed.h"
#include "formats/firefox/firefox_writer.h"
#include "formats/otlp/otlp_writer.h"
#include "formats/page/page_writer.h"
#include "formats/pprof/pprof_writer.h"
#include "formats/text/text_writer.h"

namespace jprof {
namespace {

constexpr FormatRow kRows[] = {
#define FORMAT_OF_BOTH JPROF_FORMAT_ROW
#define FORMAT_OF_JPROF JPROF_FORMAT_ROW
#include "formats/formats.def"
};

}  // namespace

const FormatTable& AllFormats() {
  static constexpr FormatTable kTable{kRows};
  return kTable;
}

}  // namespace jprof
