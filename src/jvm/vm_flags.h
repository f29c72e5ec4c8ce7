// BoolFlag, SizeFlag, HasTextFlag: a command line flag (-XX) of the running JVM.
//
// Any thread, outside handlers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "jvm/vm_structs.h"

namespace jprof {

// The value of a flag of type bool; nullopt: this JVM has no such flag, or does not export flags.
std::optional<bool> BoolFlag(const VmStructs& structs, std::string_view name);
// Likewise of type size_t.
std::optional<uint64_t> SizeFlag(const VmStructs& structs, std::string_view name);
// True if a flag of type ccstr has a text; false if it has none, or the JVM has no such flag.
bool HasTextFlag(const VmStructs& structs, std::string_view name);

// Whether objects are collected by threads of the collector alone: ZGC and Shenandoah. Others
// collect at safepoints if they must.
bool HasConcurrentCollector(const VmStructs& structs);

}  // namespace jprof
