// FindThreadOfStack finds the Java thread on whose stack an address is, in the JVM's list of its Java
// threads. It is for registers that another thread's handler has got.
//
// Async-signal-safe. The list is read without the JVM's locks, so the JVM can replace and free it
// meanwhile. Only a thread counts that the list still has after the search, that is a JavaThread with
// this stack, and whose kernel thread exists.
#pragma once

#include "sigsafe/asgst/api_state.h"

namespace jprof::asgst {

// Returns the address of the JavaThread; 0 if there is none. REQUIRES: the faults of guarded loads are
// caught.
uint64_t FindThreadOfStack(const ApiState& state, uint64_t address);

}  // namespace jprof::asgst
