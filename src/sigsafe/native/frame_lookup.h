// FindRuleInLibrary finds the unwind rule of an instruction in the memory of its library, where no
// table has been compiled yet. It takes about a microsecond, and a lookup in a table some
// nanoseconds.
//
// Async-signal-safe. The library can be unloaded meanwhile, or other data can be at its addresses:
// the memory is read by guarded or safe loads, and is not trusted. The result can then be a wrong
// rule, as with a table of an unloaded library (docs/native-unwinding.md).
#pragma once

#include <cstdint>

#include "sigsafe/native/unwind_table.h"
#include "sigsafe/os/guarded_load.h"

namespace jprof {

// Returns true and sets *rule if the entry of a function that contains `pc` has a rule for it.
// `header` is the address of the library's .eh_frame_hdr. Only headers in the encoding that GNU ld,
// gold and lld write are searched, and only entries of at most 2048 bytes are read; the largest of
// libjvm of JDK 25 has 1728. `faults` is that of StackMemory.
bool FindRuleInLibrary(uint64_t header, uint64_t pc, LoadFaults faults, UnwindRule* rule);

}  // namespace jprof
