// PartCells: the cells of a flame graph of chosen samples: of a call, or of a request. Thread-safe:
// no state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/page/page_cells.h"

namespace jprof {

// By the kinds of the page, in its order, as PageCells::Of has them. All are in the slice of
// `begin_ns`, since 1970: a part is shown as a whole.
std::vector<std::string> PartCells(const PageModel& page,
                                   const std::vector<profile::Sample>& samples, int64_t begin_ns,
                                   profile::Weigh weigh);

}  // namespace jprof
