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
// Returns the value of a flag of type size_t; nullopt if this JVM has no such flag or does not
// export flags.
std::optional<uint64_t> SizeFlag(const VmStructs& structs, std::string_view name);
// True if a flag of type ccstr has a text. False if the flag has no text, if the JVM has no such
// flag, or if the JVM does not export flags.
bool HasTextFlag(const VmStructs& structs, std::string_view name);

// True if only the collector's own threads collect objects, as with ZGC and Shenandoah. Other
// collectors can collect at safepoints instead.
bool HasConcurrentCollector(const VmStructs& structs);

}  // namespace jprof
