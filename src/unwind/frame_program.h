// RunFrameProgram executes the call frame instructions of one function. It returns the unwind rules
// of the function, each with the address at which the rule starts.
//
// Not for signal handlers; used by any thread. The instructions are not trusted: the code after an
// unknown instruction gets the rule kUnsupported, and nothing is read outside the function's entry.
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

// Fills `starts` with the rules, in ascending order of addresses. The first address is
// function.begin, and all addresses are less than function.end.
void RunFrameProgram(const FunctionFrame& function, std::vector<RuleStart>* starts);

}  // namespace jprof
