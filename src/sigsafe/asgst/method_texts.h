// MethodTexts: what the API tells about the methods that iterators have met.
//
// Async-signal-safe. The records live as long as the process.
#pragma once

#include <cstdint>

#include "sigsafe/asgst/api_state.h"

namespace jprof::asgst {

// Returns the record of a method with names; nullptr if there is none.
const MethodRecord* FindMethod(const ApiState& state, uint64_t method);

// Returns the identity of the class that declares the method `method`.
uint64_t ClassOf(uint64_t method);

// Returns the number in the identity of a class; 0 if the class has no number.
uint64_t NumberOfClass(uint64_t klass);

// Returns the record of a class; nullptr if there is none.
const ClassRecord* FindClass(const ApiState& state, uint64_t klass);

// Returns the address of the Method that has the number `id` among the jmethodIDs of the class; 0 if
// the class has no such method. REQUIRES: the faults of guarded loads are caught.
uint64_t FindMethodWithId(const ApiState& state, uint64_t klass, uint64_t id);

// Returns the jmethodID of the method; 0 if the VM has not made one, or the method was freed.
// REQUIRES: the faults of guarded loads are caught.
uint64_t JMethodIdOf(const ApiState& state, uint64_t method_address, uint64_t method);

}  // namespace jprof::asgst
