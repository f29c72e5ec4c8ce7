// ReadVirtualThreads: reads the layout by which a handler finds the virtual thread that is mounted
// on the thread it interrupted.
//
// Called once at start, on any thread outside handlers.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "jvm/object_fields.h"
#include "jvm/vm_structs.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

inline constexpr int kFirstReleaseWithVirtualThreads = 21;

// Fills the part of `layout` for virtual threads. An error names the missing part: then samples of
// virtual threads belong to their carriers. If only names cannot be read, the ThreadNameLayout is
// empty and there is no error. REQUIRES: a JVM that has virtual threads.
Status ReadVirtualThreads(const VmStructs& structs, const ObjectFields& fields,
                          HotspotLayout* layout);

// The places of two variables that JDK 21 to 24 do not export.
struct HiddenContinuation {
  const uint64_t* return_pc;  // ContinuationEntry::_return_pc
  uint32_t entry_offset;      // offset of JavaThread::_cont_entry
};

// Finds the first by libjvm's .symtab, and the second by the code at the return barrier, which loads
// the entry into the stack pointer. nullopt if libjvm has no .symtab, or the code is unknown.
// REQUIRES: the code cache of `layout` is set.
std::optional<HiddenContinuation> FindHiddenContinuation(const HotspotLayout& layout);

}  // namespace jprof
