#include "formats/page/agent_formats.h"

#include "formats/collapsed.h"
#include "formats/page/page_writer.h"

namespace jprof {
namespace {

constexpr FormatRow kAgentRows[] = {
#define FORMAT_OF_BOTH JPROF_FORMAT_ROW
#define FORMAT_OF_JPROF(...)
#include "formats/formats.def"
#undef FORMAT_OF_JPROF
#undef FORMAT_OF_BOTH
};

}  // namespace

const FormatTable& AgentFormats() {
  static constexpr FormatTable kTable{kAgentRows};
  return kTable;
}

}  // namespace jprof
