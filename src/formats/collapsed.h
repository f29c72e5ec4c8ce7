// WriteCollapsed: one line a stack, "frame;frame COUNT", outermost frame first. What other flame
// graph tools read. One thread.
#pragma once

#include <cstdint>

#include "formats/convert.h"

namespace jprof::profile {
class Profile;
class SampleTable;
}  // namespace jprof::profile

namespace jprof {

class OutputStream;

// The samples of one kind. Equal lines are joined; lines are sorted, so that equal profiles are
// equal files. Uses `threads` and `suffixes` of the options. REQUIRES: the table counts samples.
void WriteCollapsed(const profile::Profile& profile, const profile::SampleTable& table,
                    uint32_t kind, const ConvertOptions& options, OutputStream& out);

}  // namespace jprof
