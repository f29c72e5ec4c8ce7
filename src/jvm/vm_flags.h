// Functions that read command line flags (-XX) of the running JVM.
//
// Callable on any thread, outside signal handlers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "jvm/vm_structs.h"

namespace jprof {

// Returns the value of a flag of type bool; nullopt if this JVM has no such flag or does not export
// flags.
std::optional<bool> BoolFlag(const VmStructs& structs, std::string_view name);
// Returns the value of a flag of type size_t; nullopt as for BoolFlag.
std::optional<uint64_t> SizeFlag(const VmStructs& structs, std::string_view name);
// True if a flag of type ccstr has a text; false if it has none, or the JVM has no such flag.
bool HasTextFlag(const VmStructs& structs, std::string_view name);

// True if only the collector's own threads collect objects (ZGC and Shenandoah). Other collectors
// collect at safepoints if they must.
bool HasConcurrentCollector(const VmStructs& structs);

}  // namespace jprof
