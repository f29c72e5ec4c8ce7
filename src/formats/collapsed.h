// WriteCollapsed: one line a stack, "frame;frame COUNT", outermost frame first. What other flame
// graph tools read. One thread.
#pragma once

#include <cstdint>

#include "formats/convert.h"

namespace jprof {

class OutputStream;
class Profile;
class SampleTable;

// The samples of one kind. Equal lines are joined; lines are sorted, so that equal profiles are
// equal files. Uses `threads` and `suffixes` of the options. REQUIRES: the table counts samples.
void WriteCollapsed(const Profile& profile, const SampleTable& table, uint32_t kind,
                    const ConvertOptions& options, OutputStream& out);

}  // namespace jprof
