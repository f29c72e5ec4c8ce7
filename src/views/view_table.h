// This file has the views of `jprof view`. A view is a FormatRow, so that the code that converts
// recordings also makes views. Thread-safe: immutable.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "formats/format_row.h"

namespace jprof {

// Returns all views in the order of views.def.
std::span<const FormatRow> Views();

// Returns the view of this name; nullptr if there is none.
const FormatRow* FindView(std::string_view name);

// Returns the names of all views: "hot, methods, ...".
std::string ViewNames();

}  // namespace jprof
