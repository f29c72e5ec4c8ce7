// CompileUnwindTables compiles the unwind tables of one loaded object.
//
// Not for signal handlers; used by any thread. The object's data are not trusted: damaged data
// makes rows of the tables unavailable and does no other harm.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "elf/library_map.h"
#include "unwind/frame_index.h"
#include "unwind/unwind_table_builder.h"

namespace jprof {

// A function that is called repeatedly while a table is compiled: the compilation takes more than
// ten milliseconds for libjvm.so. If the function returns true, the compilation ends with an error.
using IsCancelled = std::function<bool()>;
inline bool NeverCancelled() { return false; }

// Returns one table for each range of library.executable, in the order of the ranges. `frames`
// contains the frame entries of this library.
Result<std::vector<BuiltTable>> CompileUnwindTables(
    const Library& library, const FrameIndexes& frames,
    const IsCancelled& is_cancelled = NeverCancelled);

// Returns the table of [code.begin, code.end). `debug_frame` is used for code that has no entry in
// `eh_frame`. The entries of `debug_frame` have the addresses in the file, which are the addresses
// in the program minus `load_bias`. Public for tests.
Result<BuiltTable> CompileTable(const FrameIndex& eh_frame, const FrameIndex& debug_frame,
                                uint64_t load_bias, const AddressRange& code,
                                const IsCancelled& is_cancelled = NeverCancelled);

}  // namespace jprof
