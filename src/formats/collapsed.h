// WriteCollapsed: one line per stack, "frame;frame COUNT", outermost frame first: the input of
// other flame graph tools. One thread.
#pragma once

#include <cstdint>

#include "formats/convert.h"

namespace jprof::profile {
class Profile;
class SampleTable;
}  // namespace jprof::profile

namespace jprof {

class OutputStream;

// Writes the samples of one kind. Equal lines are merged and lines are sorted, so that equal
// profiles give equal files. Uses `threads` and `suffixes` of the options. REQUIRES: the table
// counts samples.
void WriteCollapsed(const profile::Profile& profile, const profile::SampleTable& table,
                    uint32_t kind, const ConvertOptions& options, OutputStream& out);

}  // namespace jprof
