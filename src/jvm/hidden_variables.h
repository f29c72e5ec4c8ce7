// HiddenVariables: the variables of libjvm.so about continuations that only its .symtab lists.
//
// Not for signal handlers. The values are read from the VM's memory when a function is called.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

// The places of two variables that JDK 21 to 24 do not export.
struct HiddenContinuation {
  const uint64_t* return_pc;  // address of the variable ContinuationEntry::_return_pc
  uint32_t entry_offset;      // offset of the field JavaThread::_cont_entry
};

class HiddenVariables {
 public:
  // Looks the variables up. Reading the symbol table takes a few milliseconds. Without .symtab, all
  // variables are missing.
  static HiddenVariables Find();

  // Returns the continuation's places. `entry_offset` is in the code at the return barrier: this
  // code loads the field into the stack pointer. Returns nullopt if a variable is missing, or if
  // the code is unknown. REQUIRES: `layout` has the bounds of the code cache, and the VM has made
  // its stubs.
  std::optional<HiddenContinuation> Continuation(const HotspotLayout& layout) const;

  // Returns the offsets of the fields of a StackChunk. Its member `thread_continuation` is 0.
  // Returns nullopt if a variable is missing.
  std::optional<StackChunkLayout> StackChunk() const;

 private:
  explicit HiddenVariables(std::vector<uint64_t> addresses) : addresses_(std::move(addresses)) {}

  std::vector<uint64_t> addresses_;  // 0 for a variable that is missing
};

}  // namespace jprof
