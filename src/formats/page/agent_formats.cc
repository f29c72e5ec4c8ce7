#include "formats/page/agent_formats.h"

#include "formats/collapsed.h"
#include "formats/page/page_writer.h"

namespace jprof {
namespace {

constexpr FormatRow kAgentRows[] = {
#define FORMAT_OF_BOTH JPROF_FORMAT_ROW
#include "formats/formats.def"
};

}  // namespace

const FormatTable& AgentFormats() {
  static constexpr FormatTable kTable{kAgentRows};
  return kTable;
}

}  // namespace jprof
