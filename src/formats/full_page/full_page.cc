#include "formats/full_page/full_page.h"

#include <utility>

#include "formats/flame_graph.h"
#include "formats/full_page/event_tables.h"
#include "formats/full_page/slow_call_graphs.h"
#include "formats/full_page/slow_requests.h"
#include "formats/full_page/source_texts.h"

namespace jprof {

std::unique_ptr<FormatWriter> MakeFullPageWriter(const FormatOptions& options) {
  PageSections sections;
  sections.push_back(std::make_unique<SourceTexts>(options));
  sections.push_back(std::make_unique<EventTables>());
  const profile::Weigh weigh = options.total.value_or(profile::Weigh::kValue);
  sections.push_back(std::make_unique<SlowCallGraphs>(weigh));
  sections.push_back(std::make_unique<SlowRequests>(weigh));
  return MakePageWriter(options, std::move(sections));
}

}  // namespace jprof
