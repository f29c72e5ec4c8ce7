// SortLines sorts the lines of a method. ReadLines decodes the VM's compressed table of line
// numbers.
//
// An entry has a step of the bytecode index and a step of the line number. Either one byte holds
// both steps, in its upper five and its lower three bits, or the byte 0xff is followed by the two
// steps as numbers (jdk-17+35 src/hotspot/share/code/compressedStream.hpp and
// src/hotspot/share/oops/method.cpp, CompressedLineNumberReadStream::read_pair).
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
