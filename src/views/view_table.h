// The views of jprof view, as formats: what converts recordings makes views of them too.
// Thread-safe: immutable.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "formats/format_row.h"

namespace jprof {

// All views, in the order of views.def.
std::span<const FormatRow> Views();

// nullptr: no such view.
const FormatRow* FindView(std::string_view name);

// "hot, methods, ..."
std::string ViewNames();

}  // namespace jprof
