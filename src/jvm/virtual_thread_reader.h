// ReadVirtualThreadLayout: where the running JVM says which virtual thread a kernel thread runs.
//
// Once at start, on an attached thread outside handlers: it asks Java code where fields are.
#pragma once

#include <jni.h>

#include "base/result.h"
#include "jvm/vm_structs.h"
#include "sigsafe/hotspot/virtual_thread.h"

namespace jprof {

inline constexpr int kFirstReleaseWithVirtualThreads = 21;

// An error says what is missing: then samples belong to the carriers. Where names alone cannot be
// read, the layout says so (ThreadNameLayout). REQUIRES: a JVM that has virtual threads.
Result<VirtualThreadLayout> ReadVirtualThreadLayout(const VmStructs& structs, int64_t env_offset,
                                                    JNIEnv* jni);

// References as this JVM's collector writes them; an error if that is not known.
Result<ReferenceLayout> ReadReferenceLayout(const VmStructs& structs);

}  // namespace jprof
