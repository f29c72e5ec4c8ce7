// SortLines sorts the lines of a method. ReadLines decodes the VM's compressed table of line numbers
// (sigsafe/hotspot/line_reader.h).
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "jvm/method_info.h"

namespace jprof {

// Sorts the lines by their bytecode indexes, and keeps the order of lines with the same index.
void SortLines(std::vector<MethodInfo::Line>& lines);

// Returns the lines in ascending order of their bytecode indexes. `table` has any bytes; `bias` is
// HotspotLayout::unsigned5_bias.
std::vector<MethodInfo::Line> ReadLines(std::string_view table, uint8_t bias);

}  // namespace jprof
