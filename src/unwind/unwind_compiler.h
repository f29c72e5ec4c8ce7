// CompileUnwindTables: the unwind tables of one loaded object.
//
// Not for handlers; any thread. What the object says is never trusted: damage costs rows, not more.
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
using GivenUp = std::function<bool()>;
inline bool NeverGivenUp() { return false; }

// A table for each of library.executable, in their order. `frames`: of this library.
Result<std::vector<BuiltTable>> CompileUnwindTables(const Library& library,
                                                    const FrameIndexes& frames,
                                                    const GivenUp& given_up = NeverGivenUp);

// The table of [code.begin, code.end). `debug_frame`: what to use where `eh_frame` says nothing;
// its addresses are the file's, `load_bias` less than where the program runs. Open to tests.
Result<BuiltTable> CompileTable(const FrameIndex& eh_frame, const FrameIndex& debug_frame,
                                uint64_t load_bias, const AddressRange& code,
                                const GivenUp& given_up = NeverGivenUp);

}  // namespace jprof
