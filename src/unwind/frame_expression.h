// Conversion of DWARF expressions to unwind rules.
//
// Compilers and the C library use few forms of expressions: for the entries of a procedure linkage
// table (PLT), for realigned stacks and for signal frames. Not for handlers; any thread. The bytes
// are not trusted.
#pragma once

#include "sigsafe/native/unwind_rule.h"
#include "unwind/frame_bytes.h"

namespace jprof {

// Sets the CFA of `rule` to the value of `expression`. Supported are register + offset, the word at
// that address (plus a constant), and the expression that linkers write for PLT entries; for any
// other the CFA becomes kUnsupported.
void SetCfaExpression(FrameBytes expression, UnwindRule* rule);

// The place at which a register was saved. Supported is register + offset; kNotCompiled for any
// other expression.
Place PlaceOfExpression(FrameBytes expression);

}  // namespace jprof
