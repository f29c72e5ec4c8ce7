// RunFrameProgram: executes the call frame instructions of one function, and returns the unwind
// rules of the function with the addresses at which they start.
//
// Not for signal handlers; used by any thread. The instructions are not trusted: after an unknown
// instruction the rest of the function is kUnsupported, and nothing is read outside the entry.
#pragma once

#include <cstdint>
#include <vector>

#include "sigsafe/native/unwind_table.h"
#include "unwind/frame_section.h"

namespace jprof {

struct RuleStart {
  uint64_t address;
  UnwindRule rule;
};

// Fills `starts` with the rules in ascending order of addresses. The first address is
// function.begin, and all are less than function.end.
void RunFrameProgram(const FunctionFrame& function, std::vector<RuleStart>* starts);

}  // namespace jprof
