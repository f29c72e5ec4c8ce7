// The makers of the views that views.def names.
#pragma once

#include <memory>

#include "formats/format_row.h"

namespace jprof {

#define VIEW(name, kinds, make, help) \
  std::unique_ptr<FormatWriter> make(const FormatOptions& options);
#include "views/views.def"
#undef VIEW

}  // namespace jprof
