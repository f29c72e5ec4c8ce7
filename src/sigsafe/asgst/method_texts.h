// MethodTexts: what the API tells about the methods that iterators have met.
//
// Async-signal-safe. The records live as long as the process.
#pragma once

#include <cstdint>
#include <string_view>

#include "sigsafe/asgst/api_state.h"

namespace jprof::asgst {

// Returns the record of a method with names; nullptr if there is none.
const MethodRecord* FindMethod(const ApiState& state, uint64_t method);

// Returns the identity of the class that declares the method `method`.
uint64_t ClassOf(uint64_t method);

// Returns the number in the identity of a class; 0 if the class has no number.
uint64_t NumberOfClass(uint64_t klass);

// Returns the record of a class; nullptr if there is none.
const ClassRecord* FindClass(const ApiState& state, uint64_t klass);

// Returns the jmethodID of the method; 0 if the VM has not made one, or the method was freed.
// REQUIRES: the faults of guarded loads are caught.
uint64_t JMethodIdOf(const ApiState& state, uint64_t method_address, uint64_t method);

// Decodes the VM's compressed table of lines (jvm/line_table.h), entry by entry.
class LineReader {
 public:
  LineReader(std::string_view table, uint8_t bias) : table_(table), bias_(bias) {}

  // Reads the next entry. Returns false at the end of the table.
  bool Next(int32_t* first_bci, int32_t* line);

 private:
  uint8_t Byte() { return at_ < table_.size() ? static_cast<uint8_t>(table_[at_++]) : uint8_t{0}; }
  uint32_t Number();

  const std::string_view table_;
  const uint8_t bias_;
  size_t at_ = 0;
  uint32_t bci_ = 0;
  uint32_t line_ = 0;
};

}  // namespace jprof::asgst
