// The DWARF expressions that unwind rules can say.
//
// Compilers and the C library use few forms: the entries of a procedure linkage table, realigned
// stacks, and the frame of a signal. Not for handlers. Never trusts the bytes.
#pragma once

#include "sigsafe/native/unwind_rule.h"
#include "unwind/frame_bytes.h"

namespace jprof {

// Sets the CFA of `rule` to the value of `expression`: register + offset, the word there (plus a
// constant), or the form that linkers give PLT entries. kUnsupported for any other.
void SetCfaExpression(FrameBytes expression, UnwindRule* rule);

// Where `expression` says a register was saved: register + offset. kNotCompiled for any other.
Place PlaceOfExpression(FrameBytes expression);

}  // namespace jprof
