// LineReader decodes the table of line numbers of a Method, as the VM compresses it.
//
// An entry has a step of the bytecode index and a step of the line number. Either one byte holds
// both steps, in its upper five and its lower three bits, or the byte 0xff is followed by the two
// steps as numbers (jdk-17+35 src/hotspot/share/code/compressedStream.hpp and
// src/hotspot/share/oops/method.cpp, CompressedLineNumberReadStream::read_pair). The table can be of
// any bytes: no read is beyond its end, and sums wrap around.
//
// Async-signal-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace jprof {

class LineReader {
 public:
  // REQUIRES: the bytes of `table` outlive the object. `bias` is HotspotLayout::unsigned5_bias.
  LineReader(std::string_view table, uint8_t bias) : table_(table), bias_(bias) {}

  // Reads the next entry: the line that begins at a bytecode index. Returns false at the end of the
  // table.
  bool Next(int32_t* first_bci, int32_t* line);

 private:
  // Returns the next byte; 0, which ends the table, if there is none.
  uint8_t Byte() { return at_ < table_.size() ? static_cast<uint8_t>(table_[at_++]) : uint8_t{0}; }
  // Returns the next number, whose lowest bit is its sign.
  uint32_t Number();

  const std::string_view table_;
  const uint8_t bias_;
  size_t at_ = 0;
  uint32_t bci_ = 0;
  uint32_t line_ = 0;
};

}  // namespace jprof
