// The words that a compiled method has on the stack below its complete frame, because it passes
// arguments to a stub or saves registers. The numbers are taken from the code.
//
// Async-signal-safe. The code is read by guarded loads.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/code_cache.h"

namespace jprof {

// Returns the number of words that were pushed onto a complete frame for the call that returns to
// `pc`. The number is taken from the code at `pc`, which pops these words.
int PushedForCall(uint64_t pc);

// Returns the number of words by which a compiled method, interrupted at `pc`, has lowered the stack
// pointer below its complete frame, to pass arguments to a stub of C1 or to save registers around a
// call of the VM (jdk-21+35 src/hotspot/cpu/x86/gc/z/zBarrierSetAssembler_x86.cpp). The number is
// taken from the pushes and pops around a call. Otherwise it is taken from the instruction before `pc`
// that lowers the stack pointer, or from the one after `pc` that raises it, if only moves to or from
// the stack lie between.
int LoweredWords(const CodeBlob& blob, uint64_t pc);

// Returns the number of words below the frame of a compiled method that was interrupted at `pc` in an
// inlined String.indexOf, with its stack pointer at `sp`; 0 in other code. C2 copies short strings to
// the stack, pushes its operands and last its old stack pointer, which it pops after the search
// (jdk-25+36 src/hotspot/cpu/x86/c2_MacroAssembler_x86.cpp, string_indexof).
int WordsBelowSavedPointer(uint64_t pc, uint64_t sp);

}  // namespace jprof
