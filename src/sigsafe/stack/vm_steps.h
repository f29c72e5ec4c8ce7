// From a frame to its caller: one function per kind of code.
//
// Async-signal-safe. Each moves the position to the caller, further up the stack, or is false and
// leaves it as it was: the memory is not what such a frame looks like.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/java_frame_anchor.h"
#include "sigsafe/hotspot/java_method.h"
#include "sigsafe/stack/walk_context.h"

namespace jprof {

// C1 pushes arguments of a leaf stub, and a register, onto its complete frame (jdk-17+35
// src/hotspot/cpu/x86/c1_LIRAssembler_x86.cpp, slow_subtype_check;
// src/hotspot/cpu/x86/gc/z/zBarrierSetAssembler_x86.cpp, generate_c1_load_barrier_stub).
inline constexpr int kMaxPushedWords = 3;

// The word below `sp`, which is a return address if `sp` is a caller's.
inline bool LoadReturnBelow(uint64_t sp, uint64_t* pc) { return GuardedLoad(sp - sizeof *pc, pc); }

// Whether a call in Java code, or from the VM into it, returns to `pc`.
bool IsJavaReturn(const HotspotLayout& vm, uint64_t pc);

// The JavaCallWrapper of the entry frame whose frame pointer `fp` would be.
bool HasEntryWrapper(const WalkContext& context, uint64_t fp, uint64_t* wrapper);

// Whether `pc` is where calls in a compiled method return to that was deoptimised meanwhile.
bool IsDeoptReturn(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc);

// Compiled methods, wrappers of native ones, and stubs with a frame of fixed size.
[[nodiscard]] bool ToCallerOfCompiled(const WalkContext& context, const CodeBlob& blob,
                                      StackPosition* position);

// Also of a frame that deoptimisation is still making: it has no method yet, but its caller.
[[nodiscard]] bool ToCallerOfInterpreted(const WalkContext& context, StackPosition* position);

// The method of the interpreted frame that the frame pointer names. False: it names none.
[[nodiscard]] bool LoadInterpretedMethod(const WalkContext& context, const StackPosition& position,
                                         JavaMethod* method);

// The call stub, by which the VM calls Java: goes to the Java frame that called the VM. *is_root:
// there is none.
[[nodiscard]] bool ToCallerOfEntry(const WalkContext& context, bool* is_root,
                                   StackPosition* position);

// As above, to the VM's own frame that called.
[[nodiscard]] bool ToNativeCallerOfEntry(const WalkContext& context, StackPosition* position);

// From the return barrier, past the frames in the heap, to the frame of the carrier that mounted
// the virtual thread. `entry`: the ContinuationEntry.
[[nodiscard]] bool ToMount(const WalkContext& context, uint64_t entry, StackPosition* position);

// From one frame in a chunk to its caller there. REQUIRES: position->sp is below `end`. At the
// chunk's lowest frame position->sp becomes `end`.
[[nodiscard]] bool ToCallerInChunk(const WalkContext& context, uint64_t end,
                                   StackPosition* position);

// The frame pointer of the interpreted frame above whose callee the stack pointer is, in a chunk:
// kept as a distance, because chunks move.
[[nodiscard]] bool LoadChunkFramePointer(uint64_t sp, uint64_t* fp);

// To the frame that the anchor names. False if it lies below the position.
[[nodiscard]] bool ToAnchor(const WalkContext& context, const JavaFrameAnchor& anchor,
                            StackPosition* position);

}  // namespace jprof
