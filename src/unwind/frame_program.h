// RunFrameProgram: runs the instructions of one function's frame entry and says where which unwind
// rule begins to hold.
//
// Not for handlers, one thread. Instructions are never trusted: one that is not understood makes
// the rest of the function kUnsupported, and nothing is read outside the entry.
#pragma once

#include <cstdint>
#include <vector>

#include "sigsafe/native/unwind_rule.h"
#include "unwind/frame_section.h"

namespace jprof {

struct RuleStart {
  uint64_t address;
  UnwindRule rule;
};

// Ascending; the first is at function.begin, none is at or behind function.end. Replaces `starts`.
void RunFrameProgram(const FunctionFrame& function, std::vector<RuleStart>* starts);

}  // namespace jprof
