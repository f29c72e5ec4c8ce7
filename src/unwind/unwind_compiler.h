// CompileUnwindTables: the unwind tables of one loaded object.
//
// Not for handlers; any thread. The object's data is never trusted: damage costs rows, not more.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "elf/library_map.h"
#include "unwind/frame_index.h"
#include "unwind/unwind_table_builder.h"

namespace jprof {

// Asked now and then while a table is compiled, which takes the JVM's ten milliseconds and more:
// true ends it with an error.
using IsCancelled = std::function<bool()>;
inline bool NeverCancelled() { return false; }

// A table for each of library.executable, in their order. `frames`: of this library.
Result<std::vector<BuiltTable>> CompileUnwindTables(
    const Library& library, const FrameIndexes& frames,
    const IsCancelled& is_cancelled = NeverCancelled);

// The table of [code.begin, code.end). `debug_frame`: for code that `eh_frame` does not cover;
// its addresses are the file's, `load_bias` less than where the program runs. Open to tests.
Result<BuiltTable> CompileTable(const FrameIndex& eh_frame, const FrameIndex& debug_frame,
                                uint64_t load_bias, const AddressRange& code,
                                const IsCancelled& is_cancelled = NeverCancelled);

}  // namespace jprof
